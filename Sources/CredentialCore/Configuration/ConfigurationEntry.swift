/// One line of git's configuration, as `git config --list --show-scope -z` tells it.
package struct ConfigurationEntry: Equatable {
    /// The section, lower case: `credential`, `http`, ….
    package let section: String
    /// What stands between section and key: a URL, or a part of one; nil for the plain form.
    package let subsection: String?
    /// The key, lower case.
    package let key: String
    /// The value; nil for a key without `=`, which git reads as true.
    package let value: String?

    package init(section: String, subsection: String? = nil, key: String, value: String?) {
        self.section = section
        self.subsection = subsection
        self.key = key
        self.value = value
    }

    /// Reads the list: for each entry the scope and a NUL, then the name, perhaps a LF and the value, and a NUL.
    ///
    /// What a repository's own files say is left out: whoever wrote the repository must not decide where a token goes.
    /// Only `credential.interactive` is heard from there as well: it can but keep us silent. Names and values that are
    /// not UTF-8 are left out.
    ///
    /// - Parameter list: the output of `git config`.
    /// - Returns: the entries in git's order, in which later ones win.
    package static func parse(_ list: [UInt8]) -> [ConfigurationEntry] {
        let fields = list.split(separator: 0, omittingEmptySubsequences: false)
        var entries: [ConfigurationEntry] = []
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            let isTrusted = trustedScopes.contains { fields[index].elementsEqual($0.utf8) }
            guard let entry = ConfigurationEntry(line: fields[index + 1]), isTrusted || entry.onlySilences else {
                continue
            }
            entries.append(entry)
        }
        return entries
    }

    /// Everything but `local` and `worktree`.
    private static let trustedScopes = ["system", "global", "command"]

    private var onlySilences: Bool { section == "credential" && subsection == nil && key == "interactive" }

    /// Reads a line of a list: the name, perhaps a LF and the value; nil for one that is not UTF-8, or has no name.
    package init?(line: ArraySlice<UInt8>) {
        let nameEnd = line.firstIndex(of: UInt8(ascii: "\n"))
        guard let name = String(validating: line[..<(nameEnd ?? line.endIndex)], as: UTF8.self),
            let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")),
            let lastDot = name.utf8.lastIndex(of: UInt8(ascii: "."))
        else { return nil }
        section = String(name[..<dot])
        subsection = dot == lastDot ? nil : String(name[name.utf8.index(after: dot)..<lastDot])
        key = String(name[name.utf8.index(after: lastDot)...])
        guard let nameEnd else {
            value = nil
            return
        }
        guard let value = String(validating: line[(nameEnd + 1)...], as: UTF8.self) else { return nil }
        self.value = value
    }
}
