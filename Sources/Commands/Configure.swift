package import CredentialCore
package import Helper

/// The verb `configure`: has git ask this program, and no other, for the hosts where it signs in.
///
/// Nobody else's line is touched. What is added stands at the end of the file, marked (`HelperSection`).
package struct Configure: Command {
    private let scope: ConfigurationScope
    private let isDryRun: Bool
    private let files: any ConfigurationFiles
    private let dependencies: Dependencies

    /// A set-up of one of git's files.
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
        /// The lines that were added; none if everything was there.
        package let added: [String]
        /// The hosts for which git is set up.
        package let hosts: [String]
        /// The helpers that are not asked for these hosts any more.
        package let switchedOff: [OtherHelper]
        /// The helpers that git still asks, and gives the token to, after this program.
        package let stillAsked: [OtherHelper]
        /// Whether there is no OAuth client ID for github.com.
        package let lacksClientID: Bool
        /// Which file it is.
        package let scope: ConfigurationScope
        /// Whether nothing was written.
        package let isDryRun: Bool
    }

    /// Adds what is missing.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        do throws(ConfigurationFileError) {
            tell(isDryRun ? try report(plan()) : try write())
            return .done
        } catch {
            throw .configuration(error, verb: scope == .system ? "configure --system" : "configure")
        }
    }

    /// What git reads now, and what it lacks.
    private struct Plan {
        let command: HelperCommand
        let entries: [OriginatedEntry]
        let hosts: [HelperHosts.Host]
        let missing: [HelperHosts.Host]
    }

    private func plan() throws(ConfigurationFileError) -> Plan {
        guard let command = files.ownCommand() else { throw .noCommand }
        let entries = try files.entries()
        let counted = entries.filter(isCounted)
        let hosts = try hosts(counted.map(\.entry))
        let missing = hosts.filter { host in
            let links = HelperChain(counted, for: host.name).links
            return links.count != 1 || !links.allSatisfy { works($0.helper, command) }
        }
        return Plan(command: command, entries: entries, hosts: hosts, missing: missing)
    }

    private func hosts(_ entries: [ConfigurationEntry]) throws(ConfigurationFileError) -> [HelperHosts.Host] {
        do {
            return try HelperHosts(ContextResolver(entries, with: dependencies)).all
        } catch {
            throw .unread(error)
        }
    }

    /// The files that git reads up to the end of ours; a repository's own configuration is another matter.
    private func isCounted(_ line: OriginatedEntry) -> Bool {
        line.scope == "system" || (scope == .global && line.scope == "global")
    }

    /// A line may name us by a path where nothing is any more.
    private func works(_ helper: String, _ command: HelperCommand) -> Bool {
        guard HelperCommand.isOurs(helper), helper != command.value else { return helper == command.value }
        return HelperCommand.path(in: helper).map(files.isProgram) ?? false
    }

    private func write() throws(ConfigurationFileError) -> Report {
        var done = try plan()
        if !done.missing.isEmpty {
            // Looked at once more under the lock: another run may have come first.
            try files.edit(scope) { text throws(ConfigurationFileError) in
                done = try plan()
                guard !done.missing.isEmpty else { return .nothing }
                return .write(HelperSection.add(done.missing.map(\.url), done.command, to: text))
            }
            guard try plan().missing.isEmpty else { throw .notTakenUp(try files.path(of: scope)) }
        }
        return try report(done)
    }

    private func report(_ plan: Plan) throws(ConfigurationFileError) -> Report {
        let before = plan.missing.flatMap { host in
            HelperChain(plan.entries.filter(isCounted), for: host.name).links.filter { $0.helper != plan.command.value }
        }
        let after = plan.hosts.flatMap { host in
            HelperChain(plan.entries.filter { !isCounted($0) }, for: host.name).links.filter {
                !$0.isOurs
            }
        }
        return Report(
            file: try files.path(of: scope),
            added: plan.missing.flatMap { HelperSection.lines(for: $0.url, plan.command) },
            hosts: plan.hosts.map { String(decoding: $0.name.text, as: UTF8.self) },
            switchedOff: OtherHelper.list(before), stillAsked: OtherHelper.list(after),
            lacksClientID: lacksClientID(plan.entries), scope: scope, isDryRun: isDryRun)
    }

    private func lacksClientID(_ entries: [OriginatedEntry]) -> Bool {
        let resolver = ContextResolver(entries.filter(\.isTrusted).map(\.entry), with: dependencies)
        let gitHub = try? resolver.signInContext(of: HostName(name: "github.com"))
        return gitHub.map { $0.client == nil } ?? false
    }
}
