internal import CredentialCore
internal import Helper
internal import Providers

/// The lines by which git asks this program, and no other helper, for the hosts with sign-ins.
///
/// Other programs' lines stay. Ours are added at the end of the file, with a mark (`HelperSection`).
package struct HelperLines {
    let scope: ConfigurationScope
    /// The only host to set up, even without any configuration, or `nil` for all hosts where we can sign in.
    var host: HostName?
    /// Whether our own lines keep their form of the program's name, if that works.
    var keepsForm = false
    let files: any ConfigurationFiles
    let dependencies: Dependencies

    package struct Change {
        fileprivate let path: String
        fileprivate let command: HelperCommand
        let hosts: [HostName]
        /// The lines to add, by section.
        fileprivate let sections: [[String]]
        /// The file's text before that, in which our own sections name the program correctly.
        fileprivate let text: [UInt8]?
        /// The lines of an earlier run that now name the program differently, below their section heads.
        let changed: [String]
        /// The helpers that git no longer asks for these hosts, one in each line.
        let switchedOff: [Message]
        /// The helpers that git still asks after this program, and that get the token.
        let stillAsked: [Message]
        /// Whether the file has lines of ours that git does not read.
        fileprivate let isUnread: Bool

        var file: DisplayText { DisplayText(trusted: path) }
        var added: [String] { sections.flatMap(\.self) }
        var isEmpty: Bool { sections.isEmpty && changed.isEmpty }
        var hostNames: DisplayText { hosts.map(\.shown).joined(separator: ", ") }
    }

    func preview() throws(ConfigurationFileError) -> Change {
        guard let command = files.ownCommand else { throw .noCommand }
        return try change(try files.path(of: scope), command, try files.contents(of: scope))
    }

    func write() throws(ConfigurationFileError) -> Change {
        var done = try preview()
        if !done.isEmpty {
            // Made again under the lock, because another run may have been first.
            try files.edit(scope) { text throws(ConfigurationFileError) in
                done = try change(done.path, done.command, text)
                return done.isEmpty ? .nothing : .write(HelperSection.add(done.sections, to: done.text))
            }
        }
        let now = try change(done.path, done.command, try files.contents(of: scope))
        guard now.isEmpty, !now.isUnread else { throw .notTakenUp(now.path) }
        return done
    }

    private func change(
        _ path: String, _ command: HelperCommand, _ text: [UInt8]?
    ) throws(ConfigurationFileError) -> Change {
        let entries = try files.entries()
        let counted = entries.filter(isCounted)
        let resolver = ContextResolver(counted.map(\.entry), with: dependencies)
        let hosts = try rethrowing(as: ConfigurationFileError.unread, try hosts(resolver))
        let own = HelperSection.urls(in: text ?? [])
        let isOwn = { (helper: ConfiguredHelper) in
            helper.isOurName && helper.line.scope == scope.name
                && helper.line.entry.subsection.map(own.contains) == true
        }
        let unread = own.filter { url in
            !counted.contains { $0.scope == scope.name && Self.isOurs($0.entry, for: url) }
        }
        let missing = hosts.filter { host in
            let helpers = CredentialHelpers(counted, for: host).all
            let isAlone = helpers.count == 1 && helpers.allSatisfy { isOwn($0) || works($0.value, command) }
            return !isAlone && !unread.contains(host.url)
        }
        let pathless = try rethrowing(as: ConfigurationFileError.unread, try pathless(hosts, resolver, counted))
        let doesOwnWork = counted.allSatisfy { line in
            line.scope != scope.name || !own.contains { Self.isOurs(line.entry, for: $0) }
                || line.entry.value.map { works($0, command) } ?? true
        }
        let renamed = HelperSection.rename(in: text ?? [], to: command)
        let keeps = keepsForm && doesOwnWork
        return Change(
            path: path, command: command, hosts: hosts,
            sections: (missing.map(\.url) + proxies(of: hosts, counted)).map { HelperSection.lines(for: $0, command) }
                + pathless.map { HelperSection.pathLines(for: $0.url) },
            text: keeps ? text : text.map { _ in renamed.text }, changed: keeps ? [] : renamed.lines,
            switchedOff: others(missing, counted), stillAsked: others(hosts, entries.filter { !isCounted($0) }),
            isUnread: !unread.isEmpty)
    }

    private static func isOurs(_ entry: ConfigurationEntry, for url: String) -> Bool {
        entry.section == "credential" && entry.key == "helper" && entry.subsection == url
            && entry.value.map(HelperCommand.isOurs) == true
    }

    /// Returns the hosts for which there is a client ID or an app, or the only one, which may also have only stored
    /// tokens; a gist belongs to github.com.
    ///
    /// A line of ours would switch off the present helper of any other host.
    private func hosts(_ resolver: ContextResolver) throws(ConfigurationError) -> [HostName] {
        guard let host else {
            return try resolver.signInHosts.filter { $0.clientID != nil || $0.needsNoPerson }
                .flatMap(\.host.name.withGists).unique
        }
        return (try resolver.signInContext(of: host)?.host.name ?? host.canonicalForHTTPS).withGists
    }

    /// Returns the hosts for which git must send the repository's path, and does not yet: those with an app.
    private func pathless(
        _ hosts: [HostName], _ resolver: ContextResolver, _ counted: [OriginatedEntry]
    ) throws(ConfigurationError) -> [HostName] {
        var pathless: [HostName] = []
        for host in hosts where try resolver.signInContext(of: host)?.needsNoPerson == true {
            let configuration = Configuration(counted.map(\.entry), for: host)
            if configuration.value("credential", "useHttpPath") == nil { pathless.append(host) }
        }
        return pathless
    }

    /// Returns the proxies whose password git looks up, and for which it has no helper (git-config(1), `http.proxy`).
    private func proxies(of hosts: [HostName], _ counted: [OriginatedEntry]) -> [String] {
        hosts.compactMap { host -> String? in
            let configuration = Configuration(counted.map(\.entry), for: host)
            let transport = TransportConfiguration(configuration, environment: dependencies.environment)
            guard let login = transport.proxyLogin, let request = login.request, let proxy = HostName(request.host),
                CredentialHelpers(counted, for: proxy, over: request.protocol).all.isEmpty
            else { return nil }
            return login.address
        }.unique
    }

    /// Whether a line is in a file that git reads up to the end of ours, which a repository's is not.
    private func isCounted(_ line: OriginatedEntry) -> Bool {
        line.scope == "system" || (scope == .global && line.scope == "global")
    }

    /// Whether a helper's program exists; a line written by hand may have a path where it no longer is.
    private func works(_ helper: String, _ command: HelperCommand) -> Bool {
        if helper == command.value { return true }
        guard HelperCommand.isOurs(helper) else { return false }
        guard let path = HelperCommand.path(in: helper) else { return files.isOnPath }
        return files.isProgram(path)
    }

    private func others(_ hosts: [HostName], _ entries: [OriginatedEntry]) -> [Message] {
        hosts.flatMap { CredentialHelpers(entries, for: $0).all }.filter { !$0.isOurName }.map(\.row).unique
    }
}
