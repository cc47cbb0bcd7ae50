package import CredentialCore
package import Helper

/// The verb `unconfigure`: takes away what `configure` has added, and nothing else.
package struct Unconfigure: Command {
    private let scope: ConfigurationScope
    private let isDryRun: Bool
    private let files: any ConfigurationFiles

    /// The undoing of a set-up of one of git's files.
    ///
    /// - Parameters:
    ///   - scope: which file.
    ///   - isDryRun: whether to write nothing.
    ///   - files: git's configuration.
    package init(_ scope: ConfigurationScope, isDryRun: Bool, files: any ConfigurationFiles) {
        self.scope = scope
        self.isDryRun = isDryRun
        self.files = files
    }

    /// What was done, or would be.
    package struct Report {
        /// The file.
        package let file: String
        /// The lines that were removed; none if there were none.
        package let removed: [String]
        /// The lines that somebody has written by hand, and that still name this program.
        package let leftovers: [Leftover]
        /// Whether nothing was written.
        package let isDryRun: Bool
    }

    /// A line that names this program.
    package struct Leftover: Equatable {
        /// The file in which it stands.
        package let file: String
        /// The key, as `git config` takes it.
        package let key: String
        /// The value.
        package let value: String

        package init(file: String, key: String, value: String) {
            self.file = file
            self.key = key
            self.value = value
        }
    }

    /// Removes our lines.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        do throws(ConfigurationFileError) {
            let removal = isDryRun ? preview(try files.contents(of: scope)) : try remove()
            tell(
                Report(
                    file: try files.path(of: scope), removed: removal.lines, leftovers: isDryRun ? [] : try leftovers(),
                    isDryRun: isDryRun))
            return .done
        } catch {
            throw .configuration(error, verb: scope == .system ? "unconfigure --system" : "unconfigure")
        }
    }

    private func preview(_ text: [UInt8]?) -> HelperSection.Removal { HelperSection.remove(from: text ?? []) }

    private func remove() throws(ConfigurationFileError) -> HelperSection.Removal {
        // Where there is nothing to remove, a file that cannot be written is no obstacle.
        let first = preview(try files.contents(of: scope))
        guard !first.lines.isEmpty else { return first }
        var removal = first
        try files.edit(scope) { text throws(ConfigurationFileError) in
            removal = preview(text)
            guard !removal.lines.isEmpty else { return .nothing }
            return removal.text.map { .write($0) } ?? .delete
        }
        return removal
    }

    private func leftovers() throws(ConfigurationFileError) -> [Leftover] {
        var leftovers: [Leftover] = []
        for line in try files.entries() where line.entry.section == "credential" && line.entry.key == "helper" {
            guard let value = line.entry.value, HelperCommand.isOurs(value), line.scope != "command" else { continue }
            let key = ["credential", line.entry.subsection, "helper"].compactMap { $0 }.joined(separator: ".")
            leftovers.append(Leftover(file: line.origin, key: key, value: value))
        }
        return leftovers
    }
}
