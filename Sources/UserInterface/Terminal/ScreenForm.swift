internal import Messages

/// How the words are laid out now: by the width, which changes while we wait, and by the style.
struct ScreenForm: Equatable {
    /// The terminal's width.
    var columns: Int
    /// What it can show.
    var style: ScreenStyle

    init(columns: Int, style: ScreenStyle = ScreenStyle()) {
        self.columns = columns
        self.style = style
    }

    /// From 60 columns on, the waiting line is a sentence.
    var hasLongWaitingLine: Bool { columns >= 60 }

    /// Below 40 columns nothing is left but what is needed; what does not fit then is wrapped by the terminal, softly, so
    /// that an address stays whole when it is selected.
    var isNarrow: Bool { columns < 40 }

    /// A sentence in lines that fit, broken between words; whole for a screen reader.
    ///
    /// Not for an address or a code, which the terminal has to wrap, softly.
    ///
    /// - Parameters:
    ///   - text: the sentence.
    ///   - hanging: blanks before every line but the first.
    /// - Returns: its lines; a word that is wider than the terminal stands alone.
    func wrapped(_ text: String, hanging: Int = 0) -> [String] {
        guard !style.isAccessible, Language.columns(of: text) > columns else { return [text] }
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, Language.columns(of: "\(last) \(word)") <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append((lines.isEmpty ? "" : String(repeating: " ", count: hanging)) + word)
            }
        }
        return lines
    }
}
