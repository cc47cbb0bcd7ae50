package import CredentialCore
package import Helper
package import Messages

/// The verb `configure`: has git ask this program, and no other, for the hosts where it signs in.
///
/// It leaves the lines of others alone. What it adds is at the end of the file, marked (`HelperSection`).
package struct Configure: Command {
    private let scope: ConfigurationScope
    private let options: Options
    private let files: any ConfigurationFiles
    private let dependencies: Dependencies

    /// What can be chosen besides the file.
    package struct Options {
        /// Whether to write nothing.
        package var isDryRun: Bool
        /// Whether git looks for the program on the PATH, for people who share their configuration; git then starts one
        /// more process each time.
        package var isByName: Bool
        /// Whether git sends the token with its first request.
        package var isProactive: Bool
        /// A host to set up although nothing is configured for it yet.
        package var host: HostName?
        /// Whether our own lines may keep naming the program as they do, if that works.
        package var keepsForm: Bool

        package init(
            isDryRun: Bool = false, isByName: Bool = false, isProactive: Bool = false, host: HostName? = nil,
            keepsForm: Bool = false
        ) {
            self.isDryRun = isDryRun
            self.isByName = isByName
            self.isProactive = isProactive
            self.host = host
            self.keepsForm = keepsForm
        }
    }

    /// A set-up of one of git's files.
    ///
    /// - Parameters:
    ///   - scope: which file.
    ///   - options: what else is chosen.
    ///   - files: git's configuration.
    ///   - dependencies: everything else outside.
    package init(
        _ scope: ConfigurationScope, _ options: Options = Options(), files: any ConfigurationFiles,
        with dependencies: Dependencies
    ) {
        self.scope = scope
        self.options = options
        self.files = files
        self.dependencies = dependencies
    }

    /// What was done, or would be.
    package struct Report {
        /// The file.
        package let file: String
        /// The lines that were added; none if everything was there.
        package let added: [String]
        /// The lines of an earlier run that now name the program differently, below their section heads.
        package let changed: [String]
        /// The hosts for which git is set up.
        package let hosts: [String]
        /// The helpers that git no longer asks for these hosts.
        package let switchedOff: [OtherHelper]
        /// The helpers that git still asks, and gives the token to, after this program.
        package let stillAsked: [OtherHelper]
        /// Whether there is no OAuth client ID for github.com.
        package let lacksClientID: Bool
        /// The result for sending the token with the first request.
        package var proactive: Proactive
        /// Which file it is.
        package let scope: ConfigurationScope
        /// Whether nothing was written.
        package let isDryRun: Bool
    }

    /// The result for sending the token with the first request.
    package enum Proactive: Equatable {
        /// Not requested.
        case unasked
        /// git is too old for it, and works as before.
        case gitTooOld(version: DisplayText?)
        /// Nobody is signed in, so git works as before.
        case nobodySignedIn
        /// It is on, or would be, for these hosts; the lines that were added for it.
        case on(hosts: [DisplayText], added: [String])
    }

    /// Adds what is missing.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let verb: DisplayText = scope == .system ? "configure --system" : "configure"
        var report: Report
        do throws(ConfigurationFileError) {
            report = try options.isDryRun ? self.report(plan()) : write()
        } catch {
            throw .configuration(error, verb: verb)
        }
        if options.isProactive { report.proactive = try makeProactive() }
        tell(report)
        guard report.proactive != .nobodySignedIn else {
            throw .proactiveNeedsSignIn(host: DisplayText(own: report.hosts.first ?? "github.com"))
        }
        return .done
    }

    private func makeProactive() throws(UserFacingError) -> Proactive {
        let proactive = ProactiveAuthentication(files, with: dependencies)
        let git = proactive.git
        guard git?.knowsProactiveAuthentication == true else { return .gitTooOld(version: git?.shown) }
        let all = try asked { () throws(ConfigurationFileError) in
            try hosts(files.entries().filter(isCounted).map(\.entry))
        }
        let signedIn = try proactive.signedIn(among: all)
        guard !signedIn.isEmpty else { return .nobodySignedIn }
        let added = try asked { () throws(ConfigurationFileError) in
            try proactive.turnOn(for: signedIn, isDryRun: options.isDryRun)
        }
        return .on(hosts: signedIn.map { DisplayText($0.name.text) }, added: added)
    }

    private func asked<Value>(_ body: () throws(ConfigurationFileError) -> Value) throws(UserFacingError) -> Value {
        do {
            return try body()
        } catch {
            throw .configuration(error, verb: "configure --proactive")
        }
    }

    /// What git reads now, and what is missing.
    private struct Plan {
        let command: HelperCommand
        let entries: [OriginatedEntry]
        let hosts: [HelperHosts.Host]
        /// The hosts that get a section.
        let missing: [HelperHosts.Host]
        /// The hosts for which git must name the repository it asks for, and does not yet.
        let pathless: [HelperHosts.Host]
        /// The file, in which our own sections name the program as they should.
        let text: [UInt8]?
        /// The lines in which it differs from before.
        let changed: [String]
        /// Whether the file has lines of ours, but git does not read them.
        let isUnread: Bool

        var isEmpty: Bool { missing.isEmpty && pathless.isEmpty && changed.isEmpty }

        /// The sections to add.
        var sections: [[String]] {
            missing.map { HelperSection.lines(for: $0.url, command) }
                + pathless.map { HelperSection.pathLines(for: $0.url) }
        }
    }

    private func plan() throws(ConfigurationFileError) -> Plan {
        guard let command = files.ownCommand(byName: options.isByName) else { throw .noCommand }
        let entries = try files.entries()
        return try plan(command, entries, files.contents(of: scope))
    }

    private func plan(
        _ command: HelperCommand, _ entries: [OriginatedEntry], _ text: [UInt8]?
    ) throws(ConfigurationFileError) -> Plan {
        let counted = entries.filter(isCounted)
        let hosts = try hosts(counted.map(\.entry))
        let own = HelperSection.urls(in: text ?? [])
        let isOwn = { (link: HelperChain.Link) in
            link.isOurs && link.scope == scope.rawValue && link.url.map(own.contains) == true
        }
        let unread = own.filter { url in
            !counted.contains { $0.scope == scope.rawValue && Self.isOurs($0.entry, for: url) }
        }
        let missing = hosts.filter { host in
            let links = HelperChain(counted, for: host.name).links
            let isAlone = links.count == 1 && links.allSatisfy { isOwn($0) || works($0.helper, command) }
            return !isAlone && !unread.contains(host.url)
        }
        let doesOwnWork = counted.allSatisfy { line in
            guard line.scope == scope.rawValue, own.contains(where: { Self.isOurs(line.entry, for: $0) }) else {
                return true
            }
            return line.entry.value.map { works($0, command) } ?? true
        }
        let renamed = HelperSection.rename(in: text ?? [], to: command)
        let keeps = options.keepsForm && doesOwnWork
        return Plan(
            command: command, entries: entries, hosts: hosts, missing: missing,
            pathless: hosts.filter { host in
                let configuration = Configuration(counted.map(\.entry), for: host.name)
                return host.needsPath && configuration.value("credential", "useHttpPath") == nil
            },
            text: keeps ? text : text.map { _ in renamed.text }, changed: keeps ? [] : renamed.lines,
            isUnread: !unread.isEmpty)
    }

    private static func isOurs(_ entry: ConfigurationEntry, for url: String) -> Bool {
        entry.section == "credential" && entry.key == "helper" && entry.subsection == url
            && entry.value.map(HelperCommand.isOurs) == true
    }

    private func hosts(_ entries: [ConfigurationEntry]) throws(ConfigurationFileError) -> [HelperHosts.Host] {
        do {
            return try HelperHosts(ContextResolver(entries, with: dependencies), and: options.host).all
        } catch {
            throw .unread(error)
        }
    }

    /// Lines of files that git reads up to the end of ours, so not those of a repository.
    private func isCounted(_ line: OriginatedEntry) -> Bool {
        line.scope == "system" || (scope == .global && line.scope == "global")
    }

    /// A line written by hand may name us by a path where the program no longer is.
    private func works(_ helper: String, _ command: HelperCommand) -> Bool {
        if helper == command.value { return true }
        guard HelperCommand.isOurs(helper) else { return false }
        guard let path = HelperCommand.path(in: helper) else { return files.ownCommand(byName: true) != nil }
        return files.isProgram(path)
    }

    private func write() throws(ConfigurationFileError) -> Report {
        var done = try plan()
        if !done.isEmpty {
            // Checked again under the lock: another run may have been first.
            try files.edit(scope) { text throws(ConfigurationFileError) in
                done = try plan(done.command, files.entries(), text)
                guard !done.isEmpty else { return .nothing }
                return .write(HelperSection.add(done.sections, to: done.text))
            }
        }
        let now = try plan()
        guard now.isEmpty, !now.isUnread else { throw .notTakenUp(try files.path(of: scope)) }
        return try report(done)
    }

    private func report(_ plan: Plan) throws(ConfigurationFileError) -> Report {
        let before = plan.missing.flatMap { host in
            HelperChain(plan.entries.filter(isCounted), for: host.name).links.filter { !$0.isOurs }
        }
        let after = plan.hosts.flatMap { host in
            HelperChain(plan.entries.filter { !isCounted($0) }, for: host.name).links.filter {
                !$0.isOurs
            }
        }
        return Report(
            file: try files.path(of: scope),
            added: plan.sections.flatMap(\.self), changed: plan.changed,
            hosts: plan.hosts.map { String(decoding: $0.name.text, as: UTF8.self) },
            switchedOff: OtherHelper.list(before), stillAsked: OtherHelper.list(after),
            lacksClientID: lacksClientID(plan.entries), proactive: .unasked, scope: scope,
            isDryRun: options.isDryRun)
    }

    private func lacksClientID(_ entries: [OriginatedEntry]) -> Bool {
        let resolver = ContextResolver(entries.filter(\.isTrusted).map(\.entry), with: dependencies)
        let gitHub = try? resolver.signInContext(of: HostName(name: "github.com"))
        return gitHub.map { $0.clientID == nil && !$0.needsNoPerson } ?? false
    }
}
