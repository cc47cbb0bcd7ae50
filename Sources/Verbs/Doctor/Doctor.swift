package import CredentialCore
package import Helper

/// The verb `doctor`: looks at everything that a sign-in needs, and says what to do where something is wrong.
///
/// It changes nothing, except for one item in an unlocked keyring that it removes again. It asks the person nothing,
/// and each request has a time limit, as has the whole run.
package struct Doctor: Command {
    private let dependencies: Dependencies
    private let inspections: Inspections
    private let host: HostName?

    /// Milliseconds after which no further host is asked.
    private static let patience: Int64 = 40_000
    private static let main = HostName(name: "github.com")
    /// More hosts than anybody signs in to.
    private static let mostHosts = 8

    /// An examination.
    ///
    /// - Parameters:
    ///   - host: the only host to look at; nil for all.
    ///   - dependencies: everything outside.
    ///   - inspections: what else there is to look at. Its keyring, which never prompts, replaces the usual one.
    package init(of host: HostName? = nil, with dependencies: Dependencies, with inspections: Inspections) {
        self.host = host
        var dependencies = dependencies
        dependencies.keyring = inspections.keyring
        dependencies.transport = inspections.transport
        self.dependencies = dependencies
        self.inspections = inspections
    }

    /// Looks at everything, and reports nothing more after Ctrl-C.
    package func run(_ tell: (Diagnosis) -> Void) -> ExitStatus {
        var hasFailed = false
        examine { diagnosis in
            guard !inspections.isInterrupted() else { return }
            if diagnosis.result == .fail { hasFailed = true }
            tell(diagnosis)
        }
        if inspections.isInterrupted() { return .cancelled }
        return hasFailed ? .failed : .done
    }

    private func examine(_ tell: (Diagnosis) -> Void) {
        let end = dependencies.clock.uptimeMilliseconds + Self.patience
        let machine = MachineExamination(with: dependencies, with: inspections)
        machine.diagnoses.forEach(tell)
        let git = GitExamination(with: inspections)
        let hosts: [SignInContext]
        do {
            hosts = try self.hosts
            tell(git.version(nil))
        } catch {
            tell(git.version(error))
            // All the rest depends on it: the keyring, the hosts and the way to them.
            return tell(Diagnosis(.configuration, .fail, .configuration(.unreadable(error))))
        }
        git.linesWithoutHost.forEach(tell)
        let helpers = HelperExamination(of: hosts.map(\.host), with: inspections)
        helpers.diagnoses.forEach(tell)
        machine.program(configuredAs: helpers.ownValues).forEach(tell)
        let store = KeyringExamination(with: dependencies, with: inspections).examine(report: tell)
        var isSignedIn: [(host: SignInHost, answer: Bool)] = []
        for host in hosts.prefix(Self.mostHosts) where !inspections.isInterrupted() {
            let examination = HostExamination(
                host, with: dependencies, accountsIn: store, memory: inspections.memory, until: end)
            if let answer = examination.examine(report: tell) { isSignedIn.append((host.host, answer)) }
        }
        git.proactive(isSignedIn).forEach(tell)
    }

    /// github.com, unless other hosts are configured and it has no client; then the others: those with a client ID from
    /// the distributor, and those of git's configuration in its order.
    private var hosts: [SignInContext] {
        get throws(ConfigurationError) {
            let resolver = ContextResolver(with: dependencies)
            if let host { return try resolver.signInContext(of: host).map { [$0] } ?? [] }
            var configured = try resolver.configuredHosts
            for known in try resolver.hostsWithBuiltInClient.reversed() where known.host.name.text != Self.main.text {
                if !configured.contains(where: { $0.host == known.host }) { configured.insert(known, at: 0) }
            }
            guard let main = try resolver.signInContext(of: Self.main),
                !configured.contains(where: { $0.host == main.host })
            else { return configured }
            return configured.isEmpty || main.clientID != nil ? [main] + configured : configured
        }
    }
}
