package import CredentialCore
package import Helper

/// The verb `unconfigure`: removes what `configure` has added, and nothing else.
package struct Unconfigure: Command {
    private let scope: ConfigurationScope
    private let isDryRun: Bool
    private let files: any ConfigurationFiles
    private let dependencies: Dependencies

    /// A removal from one of git's files.
    ///
    /// - Parameters:
    ///   - scope: which file.
    ///   - isDryRun: whether to write nothing.
    ///   - files: git's configuration.
    ///   - dependencies: everything else outside.
    package init(
        _ scope: ConfigurationScope, isDryRun: Bool, files: any ConfigurationFiles, with dependencies: Dependencies
    ) {
        self.scope = scope
        self.isDryRun = isDryRun
        self.files = files
        self.dependencies = dependencies
    }

    /// What was done, or would be.
    package struct Report {
        /// The file.
        package let file: String
        /// The lines that were removed; none if there were none.
        package let removed: [String]
        /// The lines written by hand that still name this program.
        package let leftovers: [Leftover]
        /// The client IDs that stay configured.
        package let clientIDs: [Leftover]
        /// The hosts whose tokens stay in the keyring.
        package let signedIn: [DisplayText]
        /// Whether nothing was written.
        package let isDryRun: Bool
    }

    /// A line that stays.
    package struct Leftover: Equatable {
        /// The file in which it is.
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
                    clientIDs: isDryRun ? [] : try clientIDs(), signedIn: isDryRun ? [] : try signedIn(),
                    isDryRun: isDryRun))
            return .done
        } catch {
            throw .configuration(error, verb: scope == .system ? "unconfigure --system" : "unconfigure")
        }
    }

    private func preview(_ text: [UInt8]?) -> HelperSection.Removal { HelperSection.remove(from: text ?? []) }

    private func remove() throws(ConfigurationFileError) -> HelperSection.Removal {
        // If there is nothing to remove, the file need not be writable.
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
        try lines("helper") { $0.scope != "command" && $0.entry.value.map(HelperCommand.isOurs) == true }
    }

    private func clientIDs() throws(ConfigurationFileError) -> [Leftover] {
        try lines("oauthclientid") { $0.isInPersonsFile }
    }

    private func lines(
        _ key: String, where isMeant: (OriginatedEntry) -> Bool
    ) throws(ConfigurationFileError) -> [Leftover] {
        let lines = try files.entries().filter { $0.entry.section == "credential" && $0.entry.key == key }
        return lines.filter(isMeant).compactMap { line in
            let name = key == "helper" ? key : "oauthClientId"
            let key = ["credential", line.entry.subsection, name].compactMap(\.self).joined(separator: ".")
            return line.entry.value.map { Leftover(file: line.origin, key: key, value: $0) }
        }
    }

    /// Locked items count as well, without a prompt to unlock them; without a keyring there are none.
    private func signedIn() throws(ConfigurationFileError) -> [DisplayText] {
        let resolver = ContextResolver(with: dependencies)
        var hosts: [DisplayText] = []
        do throws(ConfigurationError) {
            for host in try HelperHosts(resolver).all {
                guard let context = try resolver.signInContext(of: host.name) else { continue }
                let query = context.query(path: nil)
                let items = try? dependencies.keyring.items(having: query.search)
                guard let items, !query.matching(items).isEmpty else { continue }
                let name = context.host.displayName
                if !hosts.contains(name) { hosts.append(name) }
            }
        } catch {
            throw .unread(error)
        }
        return hosts
    }
}
