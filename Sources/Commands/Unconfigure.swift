package import CredentialCore
package import Helper

/// The verb `unconfigure`: takes away what `configure` has added, and nothing else.
package struct Unconfigure {
    private let scope: ConfigurationScope
    private let files: any ConfigurationFiles
    private let dependencies: Dependencies

    /// The undoing of a set-up of one of git's files.
    package init(_ scope: ConfigurationScope, files: any ConfigurationFiles, with dependencies: Dependencies) {
        self.scope = scope
        self.files = files
        self.dependencies = dependencies
    }

    /// What was done, or would be.
    package struct Report {
        /// The file.
        package let file: String
        /// The lines that were removed; none if there were none.
        package let lines: [String]
        /// Commands that remove the lines which somebody has written by hand, and which still name this program.
        package let leftovers: [String]
    }

    /// Removes our lines.
    ///
    /// - Parameter isDryRun: whether to write nothing.
    /// - Returns: what was done; nil if it failed, after a complaint.
    package func run(isDryRun: Bool) -> Report? {
        do throws(ConfigurationFileError) {
            let removal = isDryRun ? preview(try files.contents(of: scope)) : try remove()
            return Report(
                file: try files.path(of: scope), lines: removal.lines, leftovers: isDryRun ? [] : try leftovers())
        } catch {
            dependencies.report(.configuration(error, verb: scope == .system ? "unconfigure --system" : "unconfigure"))
            return nil
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

    private func leftovers() throws(ConfigurationFileError) -> [String] {
        var commands: [String] = []
        for line in try files.entries() where line.entry.section == "credential" && line.entry.key == "helper" {
            guard let value = line.entry.value, HelperCommand.isOurs(value), line.scope != "command" else { continue }
            let key = ["credential", line.entry.subsection, "helper"].compactMap { $0 }.joined(separator: ".")
            commands.append(
                "git config --file \(ShellWord.quoted(line.origin)) --fixed-value --unset-all \(ShellWord.quoted(key)) "
                    + ShellWord.quoted(value))
        }
        return commands
    }
}
