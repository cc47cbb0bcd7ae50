/// A line of git's configuration and where it stands, as `git config --list --show-scope --show-origin -z` tells it.
package struct OriginatedEntry: Equatable {
    /// `system`, `global`, `local`, `worktree` or `command`.
    package let scope: String
    /// The file, or what git says instead of one, such as `command line:`.
    package let origin: String
    /// The line.
    package let entry: ConfigurationEntry

    package init(scope: String, origin: String, entry: ConfigurationEntry) {
        self.scope = scope
        self.origin = origin
        self.entry = entry
    }

    /// Whether the person or the system says so, and not a repository.
    package var isTrusted: Bool { ConfigurationEntry.isTrusted(scope: scope.utf8) }
    /// Whether it stands in a file that is the person's to edit.
    package var isInPersonsFile: Bool { ["system", "global"].contains(scope) && origin.hasPrefix("/") }

    /// Reads the list: for each line the scope, the origin and the line, with a NUL behind each.
    ///
    /// - Parameter list: the output of `git config`.
    /// - Returns: the lines in git's order. What is not UTF-8 is left out.
    package static func parse(_ list: [UInt8]) -> [OriginatedEntry] {
        let fields = list.split(separator: 0, omittingEmptySubsequences: false)
        return stride(from: 0, to: fields.count - 2, by: 3).compactMap { index in
            guard let origin = String(validating: fields[index + 1], as: UTF8.self),
                let entry = ConfigurationEntry(line: fields[index + 2])
            else { return nil }
            return OriginatedEntry(
                scope: String(decoding: fields[index], as: UTF8.self),
                origin: origin.hasPrefix("file:") ? String(origin.dropFirst("file:".count)) : origin, entry: entry)
        }
    }
}
