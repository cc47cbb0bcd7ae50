/// A file of git's configuration as lines, and which of them can be ours.
enum SectionText {
    static let lineEnd = UInt8(ascii: "\n")
    static let helperHead = "[credential \""
    static let proactiveHead = "[http \""
    static let proactiveSetting = "proactiveAuth = basic"
    static let pathSetting = "useHttpPath = true"

    /// What a section of ours is about.
    enum Kind {
        /// Who is asked for the token.
        case helper
        /// Whether the helper is told the repository.
        case path
        /// When the token is sent.
        case proactive
    }

    /// A section that holds lines of ours.
    struct Section {
        /// Our lines, or what is left of them.
        let ours: Range<Int>
        /// Whether the section holds anything else.
        let isShared: Bool
        /// What it is about.
        let kind: Kind
    }

    /// Our lines in the section whose head is the line at `head`.
    ///
    /// - Parameters:
    ///   - lines: the file.
    ///   - head: where the head would be.
    ///   - isEnd: whether a line belongs to the next section although it is above its head.
    /// - Returns: nil if it is no such section.
    static func section(in lines: [ArraySlice<UInt8>], at head: Int, isEnd: (String) -> Bool) -> Section? {
        guard head < lines.count else { return nil }
        let isProactive = content(lines[head]).hasPrefix(proactiveHead)
        guard isProactive || content(lines[head]).hasPrefix(helperHead) else { return nil }
        let end = lines[(head + 1)...].firstIndex { content($0).hasPrefix("[") || isEnd(content($0)) } ?? lines.count
        guard let (last, kind) = ourLine(in: lines[(head + 1)..<end], isProactive: isProactive) else { return nil }
        let isBlankBefore = kind == .helper && last > head + 1 && content(lines[last - 1]) == "helper ="
        let ours = (isBlankBefore ? last - 1 : last)..<(last + 1)
        let others = [(head + 1)..<ours.lowerBound, ours.upperBound..<end].joined()
        return Section(ours: ours, isShared: others.contains { isSetting(lines[$0]) }, kind: kind)
    }

    private static func ourLine(
        in lines: ArraySlice<ArraySlice<UInt8>>, isProactive: Bool
    ) -> (index: Int, kind: Kind)? {
        if isProactive { return lines.firstIndex { content($0) == proactiveSetting }.map { ($0, .proactive) } }
        if let helper = lines.firstIndex(where: isOurHelper) { return (helper, .helper) }
        return lines.firstIndex { content($0) == pathSetting }.map { ($0, .path) }
    }

    /// A comment needs no head: it may belong to what follows.
    private static func isSetting(_ line: ArraySlice<UInt8>) -> Bool {
        let text = content(line)
        return !text.isEmpty && !text.hasPrefix("#") && !text.hasPrefix(";")
    }

    private static func isOurHelper(_ line: ArraySlice<UInt8>) -> Bool {
        let text = content(line)
        return text.hasPrefix("helper = ")
            && ["gitspace", "/git-credential-gitspace\""].contains { text.hasSuffix($0) }
    }

    /// The address in a section's head: `[credential "https://github.com"]`.
    static func url(inHead head: String) -> String {
        String(head.drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" })
    }

    private static let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]

    /// A line's text without indentation and line end (LF or CRLF).
    static func content(_ line: ArraySlice<UInt8>) -> String {
        let end = line.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? line.startIndex
        return String(decoding: line[..<end].drop { blanks.contains($0) }, as: UTF8.self)
    }

    /// The end of a line: LF, an editor's CRLF, or nothing.
    static func end(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line[(line.lastIndex { $0 != 0x0a && $0 != 0x0d }.map { $0 + 1 } ?? line.startIndex)...]
    }

    /// The lines, each with its end.
    static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex(of: lineEnd).map { $0 + 1 } ?? text.endIndex
            lines.append(text[start..<end])
            start = end
        }
        return lines
    }
}
