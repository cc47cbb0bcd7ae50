package import CredentialCore

/// The lines that `configure` and `switch --folder` add to a file of git's configuration, one section for a host or a
/// folder, and their removal to the last byte.
///
/// git's own commands do not suffice. `git config --add` puts a line into an existing section, which may be above a
/// plain `credential.helper`: then that helper gets the token after all. And `--unset` cannot tell our empty line from
/// another's, adds a line end that was missing, and leaves an emptied section behind a comment. So the text is edited
/// here, at its end, where later lines win. The mark above each section records what was there before.
package enum HelperSection {
    /// The end of the mark above a section, which records the file's state before the first section.
    ///
    /// The marks are in people's files, and `unconfigure` searches for exactly these texts, so they must not change.
    private enum Before: String {
        case text = ""
        case newFile = " (to a new file)"
        case openLine = " (behind a line without an end)"

        init?(mark line: String) {
            let verb = ["configure", "switch"].first { line.hasPrefix(HelperSection.beginning + $0) }
            guard let verb else { return nil }
            self.init(rawValue: String(line.dropFirst(HelperSection.beginning.count + verb.count)))
        }
    }

    private static let beginning = "# Added by: git credential-gitspace "

    package enum Kind {
        case helper
        /// The section makes git send the repository's path, by `credential.useHttpPath` (gitcredentials(7)).
        case path
        /// The section makes git send the token with its first request, by `http.proactiveAuth` (git-config(1)).
        case proactive
        /// The section includes the file of a folder's account.
        case folder
    }

    private static let helperHead = "[credential \""
    private static let proactiveHead = "[http \""
    private static let folderHead = "[includeIf \""
    private static let proactiveSetting = "proactiveAuth = basic"
    private static let pathSetting = "useHttpPath = true"

    // MARK: The lines, without the marking comment

    package static func lines(for url: String, _ command: HelperCommand) -> [String] {
        ["\(helperHead)\(url)\"]", "\thelper =", line(command)]
    }

    private static func line(_ command: HelperCommand) -> String { "\thelper = \(command.quotedForFile)" }

    package static func proactiveLines(for url: String) -> [String] {
        ["\(proactiveHead)\(url)\"]", "\t\(proactiveSetting)"]
    }

    static func pathLines(for url: String) -> [String] { ["\(helperHead)\(url)\"]", "\t\(pathSetting)"] }

    // MARK: Adding

    /// Adds sections at the end; `nil` is a file that does not exist.
    package static func add(_ sections: [[String]], to text: [UInt8]?) -> [UInt8] {
        var result = text ?? []
        var before = text == nil ? Before.newFile : .text
        if let last = result.last, last != lineEnd {
            before = .openLine
            result.append(lineEnd)
        }
        for section in sections {
            let verb = section.first?.hasPrefix(folderHead) == true ? "switch" : "configure"
            let mark = beginning + verb + before.rawValue
            for line in [mark] + section { result += Array(line.utf8) + [lineEnd] }
            before = .text
        }
        return result
    }

    // MARK: Folders

    /// Adds the section of a folder, if any, and moves those of all folders to the end, so that they count.
    ///
    /// A folder within another comes after it.
    static func addFolder(_ folder: AccountFolder?, to text: [UInt8]?) -> ConfigurationEdit {
        let removal = remove(from: text ?? []) { kind, _ in kind == .folder }
        var folders = Dictionary(zip(removal.lines.filter { !$0.hasPrefix("[") }, removal.urls)) { $1 }
        if let folder { folders[folder.setting] = folder.subsection }
        let sections = folders.sorted { $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) }.map {
            ["\(folderHead)\($0.value)\"]", "\t\($0.key)"]
        }
        let new = add(sections, to: text == nil ? nil : removal.text)
        return sections.isEmpty || new == text ? .nothing : .write(new)
    }

    // MARK: Finding and removing

    package struct Removal {
        /// `nil` if there was no file before.
        package let text: [UInt8]?
        /// The removed lines, without line ends and indentation, and the heads of their sections.
        package let lines: [String]
        let urls: [String]
    }

    /// Removes the sections that are marked as ours, and nothing else.
    ///
    /// `git config` may have added another key of the same host to a section; then its head and that key stay.
    package static func remove(
        from text: [UInt8], where isMeant: (_ kind: Kind, _ url: String) -> Bool = { _, _ in true }
    ) -> Removal {
        let lines = split(text)
        var kept: [UInt8] = []
        var removed: [String] = []
        var urls: [String] = []
        var isNewFile = false
        var openEnd: Int?
        var index = 0
        while index < lines.count {
            guard let section = marked(in: lines, at: index), isMeant(section.kind, section.url) else {
                kept += lines[index]
                index += 1
                continue
            }
            if section.before == .newFile { isNewFile = true }
            if section.before == .openLine { openEnd = kept.count }
            if section.isShared { kept += lines[index + 1] }
            urls.append(section.url)
            removed.append(content(lines[index + 1]))
            removed += lines[section.ours].map(content)
            kept += lines[(index + 2)..<section.ours.lowerBound].joined()
            index = section.ours.upperBound
        }
        // The line end that was missing before is removed, unless another line follows it now.
        if openEnd == kept.count, kept.last == lineEnd { kept.removeLast() }
        return Removal(text: isNewFile && kept.isEmpty ? nil : kept, lines: removed, urls: urls)
    }

    /// Changes the program's name in our marked sections, and nothing else.
    ///
    /// - Returns: the new text, and the lines that differ, below the heads of their sections.
    package static func rename(in text: [UInt8], to command: HelperCommand) -> (text: [UInt8], lines: [String]) {
        var lines = split(text)
        var changed: [String] = []
        for index in lines.indices {
            guard let section = marked(in: lines, at: index), section.kind == .helper else { continue }
            let last = section.ours.upperBound - 1
            let wanted = line(command)
            guard content(lines[last]) != content(Array(wanted.utf8)[...]) else { continue }
            changed += [content(lines[index + 1]), wanted]
            // LF, an editor's CRLF, or nothing.
            let end = lines[last].lastIndex { $0 != 0x0a && $0 != 0x0d }.map { $0 + 1 } ?? lines[last].startIndex
            lines[last] = (Array(wanted.utf8) + lines[last][end...])[...]
        }
        return (Array(lines.joined()), changed)
    }

    /// The addresses of our marked sections that name this program.
    package static func urls(in text: [UInt8]) -> [String] {
        let lines = split(text)
        return lines.indices.compactMap { marked(in: lines, at: $0) }.filter { $0.kind == .helper }.map(\.url)
    }

    private struct Section {
        let before: Before
        /// Our lines, or the rest of them.
        let ours: Range<Int>
        /// Whether the section has other settings.
        let isShared: Bool
        let kind: Kind
        let url: String
    }

    private static func marked(in lines: [ArraySlice<UInt8>], at index: Int) -> Section? {
        guard let before = Before(mark: content(lines[index])), index + 1 < lines.count else { return nil }
        let head = index + 1
        let title = content(lines[head])
        guard [proactiveHead, helperHead, folderHead].contains(where: title.hasPrefix) else { return nil }
        // The mark of the next section is above its head.
        let end =
            lines[(head + 1)...].firstIndex { content($0).hasPrefix("[") || Before(mark: content($0)) != nil }
            ?? lines.count
        guard let (last, kind) = ourLine(in: lines[(head + 1)..<end], below: title) else { return nil }
        let isBlankBefore = kind == .helper && last > head + 1 && content(lines[last - 1]) == "helper ="
        let ours = (isBlankBefore ? last - 1 : last)..<(last + 1)
        let others = [(head + 1)..<ours.lowerBound, ours.upperBound..<end].joined()
        // Comments do not count: one may belong to the next section.
        let isShared = others.map { content(lines[$0]) }.contains {
            !$0.isEmpty && !$0.hasPrefix("#") && !$0.hasPrefix(";")
        }
        return Section(before: before, ours: ours, isShared: isShared, kind: kind, url: subsection(of: title))
    }

    /// The text between the first quotation mark and the last, without unescaping.
    private static func subsection(of title: String) -> String {
        String(title.drop { $0 != "\"" }.dropFirst().reversed().drop { $0 != "\"" }.dropFirst().reversed())
    }

    private static func ourLine(
        in lines: ArraySlice<ArraySlice<UInt8>>, below title: String
    ) -> (index: Int, kind: Kind)? {
        func first(_ kind: Kind, where isOurs: (String) -> Bool) -> (index: Int, kind: Kind)? {
            lines.firstIndex { isOurs(content($0)) }.map { ($0, kind) }
        }
        if title.hasPrefix(proactiveHead) { return first(.proactive) { $0 == proactiveSetting } }
        if title.hasPrefix(folderHead) { return first(.folder) { AccountFolder.file(in: $0) != nil } }
        return first(.helper) { line in
            line.hasPrefix("helper = ") && ["gitspace", "/git-credential-gitspace\""].contains { line.hasSuffix($0) }
        } ?? first(.path) { $0 == pathSetting }
    }

    // MARK: A file as lines

    private static let lineEnd = UInt8(ascii: "\n")
    private static let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]

    /// A line's text without indentation and line end (LF or CRLF).
    private static func content(_ line: ArraySlice<UInt8>) -> String {
        let end = line.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? line.startIndex
        return String(decoding: line[..<end].drop { blanks.contains($0) }, as: UTF8.self)
    }

    /// The lines, each with its end.
    private static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        let ends = text.indices.filter { text[$0] == lineEnd }.map { $0 + 1 } + [text.count]
        return zip([0] + ends, ends).map { text[$0..<$1] }.filter { !$0.isEmpty }
    }
}

extension ConfigurationFiles {
    /// Writes nothing if the file has none of our sections, so it need not be writable then.
    func removeSections(
        from scope: ConfigurationScope, isDryRun: Bool = false,
        where isMeant: (_ kind: HelperSection.Kind, _ url: String) -> Bool = { _, _ in true }
    ) throws(ConfigurationFileError) -> HelperSection.Removal {
        var removal = HelperSection.remove(from: try contents(of: scope) ?? [], where: isMeant)
        guard !removal.lines.isEmpty, !isDryRun else { return removal }
        try edit(scope) { text in
            removal = HelperSection.remove(from: text ?? [], where: isMeant)
            guard !removal.lines.isEmpty else { return .nothing }
            return removal.text.map { .write($0) } ?? .delete
        }
        return removal
    }
}
