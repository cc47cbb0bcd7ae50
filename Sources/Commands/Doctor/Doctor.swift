internal import CredentialCore
package import Helper

/// The verb `doctor`: looks at everything that a sign-in needs, and says what to do where something is wrong.
///
/// It changes nothing, but for one item in an open keyring that it removes again. It asks nobody and waits for nobody:
/// every question has its end, and all of them together have one.
package struct Doctor: Command {
    private let dependencies: Dependencies
    private let inspections: Inspections

    /// Milliseconds after which no further host is asked.
    private static let patience: Int64 = 40_000
    /// More hosts than anybody signs in to.
    private static let mostHosts = 8

    /// A doctor.
    ///
    /// - Parameters:
    ///   - dependencies: everything outside.
    ///   - inspections: what else there is to look at. Its keyring, which asks nobody, takes the place of theirs.
    package init(with dependencies: Dependencies, with inspections: Inspections) {
        var dependencies = dependencies
        dependencies.keyring = inspections.keyring
        dependencies.transport = inspections.transport
        self.dependencies = dependencies
        self.inspections = inspections
    }

    /// Looks at everything, and tells nothing any more once Ctrl-C has been pressed.
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
        let hosts = hosts
        let machine = MachineExamination(with: dependencies, with: inspections)
        machine.diagnoses.forEach(tell)
        tell(GitExamination(with: inspections).version)
        let helpers = HelperExamination(of: hosts, with: inspections)
        helpers.diagnoses.forEach(tell)
        machine.program(configuredAs: helpers.ownValues).forEach(tell)
        let isReadable = KeyringExamination(with: dependencies, with: inspections).examine(report: tell)
        for host in hosts.prefix(Self.mostHosts) where !inspections.isInterrupted() {
            HostExamination(host, with: dependencies, isKeyringReadable: isReadable, until: end).examine(report: tell)
        }
    }

    /// github.com, unless other hosts are configured and it has no client; then the others, in git's order.
    private var hosts: [KnownHost] {
        var hosts: [KnownHost] = []
        for entry in dependencies.configuration() where entry.section == "credential" {
            guard let url = entry.subsection, ["provider", "oauthclientid"].contains(entry.key),
                let name = HTTPSAddress(parsing: url).map({ HostName(name: $0.host, port: $0.port) }),
                let host = knownHost(name), !hosts.contains(host)
            else { continue }
            hosts.append(host)
        }
        guard let main = knownHost(HostName(name: "github.com")), !hosts.contains(main) else { return hosts }
        let account = KnownAccount(host: main, asked: nil, settings: settings(main.name))
        return hosts.isEmpty || account.client(with: dependencies) != nil ? [main] + hosts : hosts
    }

    private func knownHost(_ name: HostName) -> KnownHost? {
        let settings = settings(name)
        guard settings.provider != Provider.none else { return nil }
        return KnownHost(builtIn: name) ?? settings.provider.flatMap { KnownHost(configured: name, provider: $0) }
    }

    private func settings(_ name: HostName) -> SignInSettings {
        SignInSettings(
            Configuration(dependencies.configuration(), for: name), host: name, environment: dependencies.environment)
    }
}
