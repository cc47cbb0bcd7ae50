package import CredentialCore
package import Helper
package import Messages

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
        /// The file of the other scope, if `configure` has added lines to it.
        package let otherFile: OtherFile?
        /// The client IDs that stay configured.
        package let clientIDs: [Leftover]
        /// The default accounts that stay configured.
        package let usernames: [Leftover]
        /// The hosts whose tokens stay in the keyring.
        package let signedIn: [DisplayText]
        /// Whether nothing was written.
        package let isDryRun: Bool
    }

    /// A file to which `configure` has added lines as well.
    package struct OtherFile: Equatable {
        /// Which file.
        package let scope: ConfigurationScope
        /// Its path.
        package let path: String
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
            let hosts = isDryRun ? [] : try hosts(of: removal)
            tell(
                Report(
                    file: try files.path(of: scope), removed: removal.lines, leftovers: isDryRun ? [] : try leftovers(),
                    otherFile: isDryRun ? nil : try otherFile(), clientIDs: isDryRun ? [] : try clientIDs(),
                    usernames: isDryRun ? [] : try usernames(hosts), signedIn: isDryRun ? [] : try signedIn(hosts),
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
        let other = try otherFile()?.path
        let marked = try marked(in: otherScope)
        return try lines("helper") { line in
            guard line.scope != "command", line.entry.value.map(HelperCommand.isOurs) == true else { return false }
            return line.origin != other || line.entry.subsection.map(marked.contains) != true
        }
    }

    private var otherScope: ConfigurationScope { scope == .system ? .global : .system }

    /// Nil also if git does not read that file here.
    private func otherFile() throws(ConfigurationFileError) -> OtherFile? {
        let path = try files.path(of: otherScope)
        guard try !marked(in: otherScope).isEmpty, try files.entries().contains(where: { $0.origin == path }) else {
            return nil
        }
        return OtherFile(scope: otherScope, path: path)
    }

    /// The addresses for which `configure` has added lines to a file; none in one that cannot be read.
    private func marked(in scope: ConfigurationScope) throws(ConfigurationFileError) -> [String] {
        guard let text = try? files.contents(of: scope) else { return [] }
        return HelperSection.urls(in: text)
    }

    /// The hosts where this program signs in, and those whose lines were removed.
    private func hosts(of removal: HelperSection.Removal) throws(ConfigurationFileError) -> [HostName] {
        do throws(ConfigurationError) {
            var hosts = try HelperHosts(ContextResolver(with: dependencies)).all.map(\.name)
            for line in removal.lines where line.hasPrefix("[") {
                guard let address = HTTPSAddress(parsing: SectionText.url(inHead: line)) else { continue }
                let host = HostName(name: address.host, port: address.port)
                if !hosts.contains(host) { hosts.append(host) }
            }
            return hosts
        } catch {
            throw .unread(error)
        }
    }

    /// What `switch` has written, for whichever helper git asks.
    private func usernames(_ hosts: [HostName]) throws(ConfigurationFileError) -> [Leftover] {
        let urls = hosts.map { "https://" + String(decoding: $0.text, as: UTF8.self) }
        return try lines("username") { line in
            line.isInPersonsFile && line.entry.subsection.map(urls.contains) == true
        }
    }

    private func clientIDs() throws(ConfigurationFileError) -> [Leftover] {
        try lines("oauthclientid") { $0.isInPersonsFile }
    }

    private func lines(
        _ key: String, where isMeant: (OriginatedEntry) -> Bool
    ) throws(ConfigurationFileError) -> [Leftover] {
        let lines = try files.entries().filter { $0.entry.section == "credential" && $0.entry.key == key }
        return lines.filter(isMeant).compactMap { line in
            let name = key == "oauthclientid" ? "oauthClientId" : key
            let key = ["credential", line.entry.subsection, name].compactMap(\.self).joined(separator: ".")
            return line.entry.value.map { Leftover(file: line.origin, key: key, value: $0) }
        }
    }

    /// Locked items count as well, without a prompt to unlock them; without a keyring there are none.
    private func signedIn(_ names: [HostName]) throws(ConfigurationFileError) -> [DisplayText] {
        let resolver = ContextResolver(with: dependencies)
        var hosts: [DisplayText] = []
        do throws(ConfigurationError) {
            for name in names {
                let context = try resolver.signInContext(of: name)
                // Where nobody signs in, a token may be stored.
                let stored = try? CredentialContext(protocol: CredentialContext.https, host: name).everything(user: nil)
                guard let query = context?.query(path: nil) ?? stored,
                    let items = try? dependencies.keyring.items(having: query.search), !query.matching(items).isEmpty
                else { continue }
                let shown = context?.host.displayName ?? DisplayText(name.text)
                if !hosts.contains(shown) { hosts.append(shown) }
            }
        } catch {
            throw .unread(error)
        }
        return hosts
    }
}
