package import CredentialCore
internal import Helper

/// The lines that `configure` adds to a file of git's configuration, one section for a host, and how `unconfigure` takes
/// them away again to the last byte.
///
/// git's own commands would not do. `git config --add` puts a line into a section that is there already, which may stand
/// above a plain `credential.helper`: then that helper gets the token after all. And `--unset` cannot tell our blank line
/// from another's, gives a last line the end that it did not have, and leaves an emptied section behind where a comment
/// stands. So the text is edited here, at its end, where it has the last word; each section is marked by a comment above
/// it, which also remembers what was there before. git still has to read the result before it takes effect.
package enum HelperSection {
    /// What was there before the first section.
    private enum Mark: String, CaseIterable {
        case plain = "# Added by: git credential-gitspace configure"
        case newFile = "# Added by: git credential-gitspace configure (to a new file)"
        case openLine = "# Added by: git credential-gitspace configure (behind a line without an end)"
    }

    /// The lines for an address, without those that only remember.
    package static func lines(for url: String, _ command: HelperCommand) -> [String] {
        ["[credential \"\(url)\"]", "\thelper =", "\thelper = \(command.quotedForFile)"]
    }

    /// Adds a section for each address.
    ///
    /// - Parameters:
    ///   - urls: the addresses.
    ///   - command: how git calls this program.
    ///   - text: the file; nil if there is none.
    /// - Returns: the new text, which begins with the old one.
    package static func add(_ urls: [String], _ command: HelperCommand, to text: [UInt8]?) -> [UInt8] {
        var result = text ?? []
        var mark = text == nil ? Mark.newFile : .plain
        if let last = result.last, last != lineEnd {
            mark = .openLine
            result.append(lineEnd)
        }
        for url in urls {
            for line in [mark.rawValue] + lines(for: url, command) { result += Array(line.utf8) + [lineEnd] }
            mark = .plain
        }
        return result
    }

    /// What is left without our lines.
    package struct Removal: Equatable {
        /// The text; nil if there was no file before.
        package let text: [UInt8]?
        /// The lines that went, without their ends and indentation.
        package let lines: [String]
    }

    /// Takes away every section that is marked as ours, and nothing else.
    ///
    /// Somebody may have added to a section since, as `git config` does for another key of the same host: then only our
    /// lines go, and its head stays.
    ///
    /// - Parameter text: the file.
    /// - Returns: what is left.
    package static func remove(from text: [UInt8]) -> Removal {
        let lines = split(text)
        var kept: [UInt8] = []
        var removed: [String] = []
        var isNewFile = false
        var openEnd: Int?
        var index = 0
        while index < lines.count {
            guard let mark = Mark(rawValue: content(lines[index])), let section = section(in: lines, at: index + 1)
            else {
                kept += lines[index]
                index += 1
                continue
            }
            if mark == .newFile { isNewFile = true }
            if mark == .openLine { openEnd = kept.count }
            if section.isShared { kept += lines[index + 1] } else { removed.append(content(lines[index + 1])) }
            removed += lines[section.helpers].map(content)
            kept += lines[(index + 2)..<section.helpers.lowerBound].joined()
            index = section.helpers.upperBound
        }
        // The end that the last line did not have; not if another line has come to stand behind it.
        if openEnd == kept.count, kept.last == lineEnd { kept.removeLast() }
        return Removal(text: isNewFile && kept.isEmpty ? nil : kept, lines: removed)
    }

    private struct Section {
        /// Our two lines, or what is left of them.
        let helpers: Range<Int>
        /// Whether the section holds anything else.
        let isShared: Bool
    }

    /// Our lines in the section whose head is the line at `head`; nil if it is no such section.
    private static func section(in lines: [ArraySlice<UInt8>], at head: Int) -> Section? {
        guard head < lines.count, content(lines[head]).hasPrefix("[credential \"") else { return nil }
        let end = lines[(head + 1)...].firstIndex(where: endsSection) ?? lines.count
        guard let ours = lines[(head + 1)..<end].firstIndex(where: isOurHelper) else { return nil }
        let isBlankBefore = ours > head + 1 && content(lines[ours - 1]) == "helper ="
        let helpers = (isBlankBefore ? ours - 1 : ours)..<(ours + 1)
        let others = [(head + 1)..<helpers.lowerBound, helpers.upperBound..<end].joined()
        return Section(helpers: helpers, isShared: others.contains { isSetting(lines[$0]) })
    }

    private static func endsSection(_ line: ArraySlice<UInt8>) -> Bool {
        let text = content(line)
        return text.hasPrefix("[") || Mark(rawValue: text) != nil
    }

    /// A comment may belong to what follows it; it needs no head.
    private static func isSetting(_ line: ArraySlice<UInt8>) -> Bool {
        let text = content(line)
        return !text.isEmpty && !text.hasPrefix("#") && !text.hasPrefix(";")
    }

    private static func isOurHelper(_ line: ArraySlice<UInt8>) -> Bool {
        let text = content(line)
        return text.hasPrefix("helper = ")
            && (text.hasSuffix("gitspace") || text.hasSuffix("/git-credential-gitspace\""))
    }

    /// A line's text without indentation and end, be it an editor's CRLF.
    private static func content(_ line: ArraySlice<UInt8>) -> String {
        let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]
        let end = line.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? line.startIndex
        return String(decoding: line[..<end].drop { blanks.contains($0) }, as: UTF8.self)
    }

    /// The lines, each with its end.
    private static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex(of: lineEnd).map { $0 + 1 } ?? text.endIndex
            lines.append(text[start..<end])
            start = end
        }
        return lines
    }

    private static let lineEnd = UInt8(ascii: "\n")
}
