package import CredentialCore
internal import Helper

/// The lines that `configure` adds to a file of git's configuration, one section for a host, and how `unconfigure`
/// removes them again to the last byte.
///
/// git's own commands do not suffice. `git config --add` puts a line into an existing section, which may be above a
/// plain `credential.helper`: then that helper gets the token after all. And `--unset` cannot tell our empty line from
/// another's, adds a line end that was missing, and leaves an emptied section behind where there is a comment. So the
/// text is edited here, at its end, where later lines win. Each section is marked by a comment above it, which also
/// records what was there before. git still has to read the result before it takes effect.
package enum HelperSection {
    /// What was there before the first section.
    ///
    /// They are in people's files, and `unconfigure` looks for exactly these texts: a format that must not change.
    private enum Mark: String, CaseIterable {
        case plain = "# Added by: git credential-gitspace configure"
        case newFile = "# Added by: git credential-gitspace configure (to a new file)"
        case openLine = "# Added by: git credential-gitspace configure (behind a line without an end)"
    }

    /// The lines for an address, without the marking comment.
    package static func lines(for url: String, _ command: HelperCommand) -> [String] {
        ["[credential \"\(url)\"]", "\thelper =", line(command)]
    }

    private static func line(_ command: HelperCommand) -> String { "\thelper = \(command.quotedForFile)" }

    /// The lines that make git send the token in its first request to an address (`http.proactiveAuth`, git-config(1)).
    package static func proactiveLines(for url: String) -> [String] {
        ["\(SectionText.proactiveHead)\(url)\"]", "\t\(SectionText.proactiveSetting)"]
    }

    /// The lines that make git name the repository it asks for (`credential.useHttpPath`, gitcredentials(7)).
    package static func pathLines(for url: String) -> [String] {
        ["\(SectionText.helperHead)\(url)\"]", "\t\(SectionText.pathSetting)"]
    }

    /// Adds a section for each address.
    ///
    /// - Parameters:
    ///   - urls: the addresses.
    ///   - command: how git calls this program.
    ///   - text: the file; nil if there is none.
    /// - Returns: the new text, which begins with the old one.
    package static func add(_ urls: [String], _ command: HelperCommand, to text: [UInt8]?) -> [UInt8] {
        add(urls.map { lines(for: $0, command) }, to: text)
    }

    /// Adds sections, each of which is some lines.
    package static func add(_ sections: [[String]], to text: [UInt8]?) -> [UInt8] {
        var result = text ?? []
        var mark = text == nil ? Mark.newFile : .plain
        if let last = result.last, last != SectionText.lineEnd {
            mark = .openLine
            result.append(SectionText.lineEnd)
        }
        for section in sections {
            for line in [mark.rawValue] + section { result += Array(line.utf8) + [SectionText.lineEnd] }
            mark = .plain
        }
        return result
    }

    /// What is left without our lines.
    package struct Removal: Equatable {
        /// The text; nil if there was no file before.
        package let text: [UInt8]?
        /// The removed lines, without line ends and indentation, and the heads of their sections, which name the host.
        package let lines: [String]
    }

    /// Removes every section that is marked as ours, and nothing else.
    ///
    /// Lines may have been added to a section since, as `git config` does for another key of the same host: then only
    /// our lines are removed, and its head stays.
    ///
    /// - Parameters:
    ///   - text: the file.
    ///   - isMeant: whether to remove a section, by its head.
    /// - Returns: what is left.
    package static func remove(from text: [UInt8], where isMeant: (String) -> Bool = { _ in true }) -> Removal {
        let lines = SectionText.split(text)
        var kept: [UInt8] = []
        var removed: [String] = []
        var isNewFile = false
        var openEnd: Int?
        var index = 0
        while index < lines.count {
            guard let (mark, section) = marked(in: lines, at: index), isMeant(SectionText.content(lines[index + 1]))
            else {
                kept += lines[index]
                index += 1
                continue
            }
            if mark == .newFile { isNewFile = true }
            if mark == .openLine { openEnd = kept.count }
            if section.isShared { kept += lines[index + 1] }
            removed.append(SectionText.content(lines[index + 1]))
            removed += lines[section.ours].map(SectionText.content)
            kept += lines[(index + 2)..<section.ours.lowerBound].joined()
            index = section.ours.upperBound
        }
        // The line end that was missing before, unless another line follows it now.
        if openEnd == kept.count, kept.last == SectionText.lineEnd { kept.removeLast() }
        return Removal(text: isNewFile && kept.isEmpty ? nil : kept, lines: removed)
    }

    /// Makes our marked sections name the program differently; nothing else changes, not even their order.
    ///
    /// - Parameters:
    ///   - text: the file.
    ///   - command: how git calls this program from now on.
    /// - Returns: the new text, and the lines in which it differs, below the heads of their sections.
    package static func rename(in text: [UInt8], to command: HelperCommand) -> (text: [UInt8], lines: [String]) {
        var lines = SectionText.split(text)
        var changed: [String] = []
        for index in lines.indices {
            guard let (_, section) = marked(in: lines, at: index), section.kind == .helper else { continue }
            let last = section.ours.upperBound - 1
            let wanted = line(command)
            guard SectionText.content(lines[last]) != SectionText.content(Array(wanted.utf8)[...]) else { continue }
            changed += [SectionText.content(lines[index + 1]), wanted]
            lines[last] = (Array(wanted.utf8) + SectionText.end(of: lines[last]))[...]
        }
        return (Array(lines.joined()), changed)
    }

    /// The addresses of the sections that are marked as ours and name this program.
    package static func urls(in text: [UInt8]) -> [String] {
        let lines = SectionText.split(text)
        return lines.indices.compactMap { index in
            guard let (_, section) = marked(in: lines, at: index), section.kind == .helper else { return nil }
            return SectionText.url(inHead: SectionText.content(lines[index + 1]))
        }
    }

    private static func marked(in lines: [ArraySlice<UInt8>], at index: Int) -> (Mark, SectionText.Section)? {
        guard let mark = Mark(rawValue: SectionText.content(lines[index])),
            let section = SectionText.section(in: lines, at: index + 1, isEnd: { Mark(rawValue: $0) != nil })
        else { return nil }
        return (mark, section)
    }
}
