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
        let file: DisplayText
        let hosts: [HelperHosts.Host]
        let added: [String]
        /// The lines of an earlier run that now name the program differently, below their section heads.
        let changed: [String]
        /// The helpers that git no longer asks for these hosts, one in each line.
        let switchedOff: [Message]
        /// The helpers that git still asks after this program, and that get the token.
        let stillAsked: [Message]

        var isEmpty: Bool { added.isEmpty && changed.isEmpty }
        var hostNames: DisplayText { hosts.map { DisplayText(untrusted: $0.name.text) }.joined(separator: ", ") }
    }

    func preview() throws(ConfigurationFileError) -> Change { try change(plan()) }

    func write() throws(ConfigurationFileError) -> Change {
        var done = try plan()
        if !done.isEmpty {
            // Made again under the lock, because another run may have been first.
            try files.edit(scope) { text throws(ConfigurationFileError) in
                done = try plan(done.command, files.entries(), text)
                guard !done.isEmpty else { return .nothing }
                return .write(HelperSection.add(done.sections, to: done.text))
            }
        }
        let now = try plan()
        guard now.isEmpty, !now.isUnread else { throw .notTakenUp(try files.path(of: scope)) }
        return try change(done)
    }

    private struct Plan {
        let command: HelperCommand
        let entries: [OriginatedEntry]
        let hosts: [HelperHosts.Host]
        /// The hosts that get a section.
        let missing: [HelperHosts.Host]
        /// The hosts for which git must send the repository's path, and does not yet.
        let pathless: [HelperHosts.Host]
        /// The proxies whose password git looks up, and for which it has no helper (git-config(1), `http.proxy`).
        let proxies: [String]
        /// The file's text, in which our own sections name the program correctly.
        let text: [UInt8]?
        let changed: [String]
        /// Whether the file has lines of ours that git does not read.
        let isUnread: Bool

        var isEmpty: Bool { missing.isEmpty && pathless.isEmpty && proxies.isEmpty && changed.isEmpty }

        var sections: [[String]] {
            (missing.map(\.url) + proxies).map { HelperSection.lines(for: $0, command) }
                + pathless.map { HelperSection.pathLines(for: $0.url) }
        }
    }

    private func plan() throws(ConfigurationFileError) -> Plan {
        guard let command = files.ownCommand else { throw .noCommand }
        let entries = try files.entries()
        return try plan(command, entries, files.contents(of: scope))
    }

    private func plan(
        _ command: HelperCommand, _ entries: [OriginatedEntry], _ text: [UInt8]?
    ) throws(ConfigurationFileError) -> Plan {
        let counted = entries.filter(isCounted)
        let hosts = try hosts(counted.map(\.entry))
        let own = HelperSection.urls(in: text ?? [])
        let isOwn = { (helper: ConfiguredHelper) in
            helper.isOurName && helper.scope == scope.name && helper.url.map(own.contains) == true
        }
        let unread = own.filter { url in
            !counted.contains { $0.scope == scope.name && Self.isOurs($0.entry, for: url) }
        }
        let missing = hosts.filter { host in
            let helpers = CredentialHelpers(counted, for: host.name).all
            let isAlone = helpers.count == 1 && helpers.allSatisfy { isOwn($0) || works($0.value, command) }
            return !isAlone && !unread.contains(host.url)
        }
        let doesOwnWork = counted.allSatisfy { line in
            guard line.scope == scope.name, own.contains(where: { Self.isOurs(line.entry, for: $0) }) else {
                return true
            }
            return line.entry.value.map { works($0, command) } ?? true
        }
        let renamed = HelperSection.rename(in: text ?? [], to: command)
        let keeps = keepsForm && doesOwnWork
        return Plan(
            command: command, entries: entries, hosts: hosts, missing: missing,
            pathless: hosts.filter { host in
                let configuration = Configuration(counted.map(\.entry), for: host.name)
                return host.needsPath && configuration.value("credential", "useHttpPath") == nil
            },
            proxies: proxies(of: hosts, counted),
            text: keeps ? text : text.map { _ in renamed.text }, changed: keeps ? [] : renamed.lines,
            isUnread: !unread.isEmpty)
    }

    private static func isOurs(_ entry: ConfigurationEntry, for url: String) -> Bool {
        entry.section == "credential" && entry.key == "helper" && entry.subsection == url
            && entry.value.map(HelperCommand.isOurs) == true
    }

    private func hosts(_ entries: [ConfigurationEntry]) throws(ConfigurationFileError) -> [HelperHosts.Host] {
        do {
            let resolver = ContextResolver(entries, with: dependencies)
            guard let host else { return try HelperHosts(resolver).all }
            return try HelperHosts(only: host, resolver).all
        } catch {
            throw .unread(error)
        }
    }

    private func proxies(of hosts: [HelperHosts.Host], _ counted: [OriginatedEntry]) -> [String] {
        hosts.reduce(into: []) { all, host in
            let configuration = Configuration(counted.map(\.entry), for: host.name)
            let transport = TransportConfiguration(configuration, environment: dependencies.environment)
            guard let login = transport.proxyLogin, let request = login.request, let proxy = HostName(request.host),
                CredentialHelpers(counted, for: proxy, over: request.protocol).all.isEmpty, !all.contains(login.address)
            else { return }
            all.append(login.address)
        }
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

    private func change(_ plan: Plan) throws(ConfigurationFileError) -> Change {
        Change(
            file: DisplayText(trusted: try files.path(of: scope)), hosts: plan.hosts,
            added: plan.sections.flatMap(\.self), changed: plan.changed,
            switchedOff: others(plan.missing, plan.entries.filter(isCounted)),
            stillAsked: others(plan.hosts, plan.entries.filter { !isCounted($0) }))
    }

    private func others(_ hosts: [HelperHosts.Host], _ entries: [OriginatedEntry]) -> [Message] {
        hosts.flatMap { CredentialHelpers(entries, for: $0.name).all }.filter { !$0.isOurName }
            .reduce(into: []) { rows, helper in
                if !rows.contains(helper.row) { rows.append(helper.row) }
            }
    }
}
