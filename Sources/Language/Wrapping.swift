internal import Helper

package enum Wrapping {
    /// Wraps one line; further lines are indented like the first, or like the words after a mark, a number or an option
    /// (`[FAIL] `, `1. `, `--json  `).
    ///
    /// `text` has `Message.firmSpace` in parts that must stay whole; `hanging` is the number of spaces before further
    /// lines.
    ///
    /// - Returns: The lines. A word or command wider than the terminal gets its own line, which the terminal
    ///   soft-wraps, so that it is copied whole.
    package static func lines(_ text: String, columns: Int, prefix: String = "", hanging: Int = 0) -> [String] {
        guard Language.columns(of: prefix + text) > columns else { return [plain(prefix + text)] }
        let margin = hanging + indentation(of: text, atMost: columns * 2 / 3)
        var lines: [String] = []
        var line = prefix
        var width = Language.columns(of: prefix)
        var isBlank = true
        for (number, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let space = number == 0 ? 0 : 1
            let needed = Language.columns(of: String(word))
            // Spaces stay before the first word and after a question, but not at a line break.
            if isBlank || word.isEmpty || width + space + needed <= columns {
                line += (space == 0 ? "" : " ") + word
                width += space + needed
            } else {
                lines.append(plain(line))
                line = String(repeating: " ", count: margin) + word
                width = margin + needed
            }
            isBlank = isBlank && word.isEmpty
        }
        return lines + [plain(line)]
    }

    /// The number of spaces below the mark, number or option at the beginning.
    private static func indentation(of text: String, atMost most: Int) -> Int {
        let words = text.drop { $0 == " " || $0 == Message.firmSpace }
        let first = words.prefix { $0 != " " }
        var start = words.startIndex
        if first.first == "[", let end = words.firstIndex(of: "]") {
            start = words[end...].dropFirst(2).startIndex
        } else if first.last == ".", Int(first.dropLast()) != nil {
            start = words[first.endIndex...].dropFirst().startIndex
        } else if let gap = words.firstRange(of: "  ") {
            start = words[gap.upperBound...].drop { $0 == " " }.startIndex
        }
        let columns = Language.columns(of: String(text[..<start]))
        return columns <= most ? columns : Language.columns(of: String(text[..<words.startIndex]))
    }

    package static func plain(_ line: String) -> String {
        line.contains(Message.firmSpace) ? String(line.map { $0 == Message.firmSpace ? " " : $0 }) : line
    }
}
