package import CredentialCore
internal import Helper
internal import Providers
package import Verbs

/// A machine on which everything is in order, until a test says otherwise.
package final class ScriptedInspections: KeyringInspection {
    /// Why there is no bus, no program or no collection; in this order.
    package var busFault: KeyringError?
    package var providerFault: KeyringError?
    package var collectionFault: KeyringError?
    /// Whether the collection for new items is locked, and which others are.
    package var isLocked = false
    package var lockedBeside: [String] = []
    /// Whether the environment names a bus that has ended.
    package var isBusAddressStale = false
    /// Whether a prompt could be seen.
    package var canPrompt = false
    /// What git says of itself.
    package var gitVersion: () -> String? = { "git version 2.47.3\n" }
    /// git's configuration, as triples of scope, origin and line; nil if git does not tell.
    package var gitConfiguration: [(scope: String, origin: String, line: String)]? = [
        ("global", "file:/home/octocat/.gitconfig", "credential.https://github.com.helper\n"),
        ("global", "file:/home/octocat/.gitconfig", "credential.https://github.com.helper\ngitspace"),
    ]
    /// Programs by the names or paths that lead to them.
    package var programs = ["git-credential-gitspace": "/usr/bin/git-credential-gitspace"]
    /// What a program prints when it is asked for its version.
    package var programVersion: String? = "git-credential-gitspace 1.2.3\n"
    /// Where we are, if not at a machine with a keyring.
    package var remote: RemoteEnvironment?
    /// Whether Ctrl-C was pressed.
    package var isInterrupted = false
    /// Whether we are root.
    package var isRoot = false
    package var landlock: Int? = 7
    /// git's in-memory cache.
    package let memory = InMemoryKeyring(storage: .memory, name: "memory")
    private let doubles: Doubles

    /// A machine around doubles.
    package init(_ doubles: Doubles) { self.doubles = doubles }

    package func checkBus() throws(KeyringError) {
        if let busFault { throw busFault }
    }

    package func provider() throws(KeyringError) -> String? {
        if let providerFault { throw providerFault }
        return "gnome-keyring-daemon"
    }

    package var offeringProgram: KeyringProgram { .gnomeKeyring }

    package var namesOfLocked: [DisplayText] { [] }

    package func locked(_ selection: CollectionSelection) throws(KeyringError) -> [LockedCollection] {
        var names = isLocked ? ["login"] : []
        if case .all = selection { names += lockedBeside } else if let collectionFault { throw collectionFault }
        return names.map { LockedCollection(path: "/collection/\($0)", name: DisplayText(untrusted: $0.utf8)) }
    }

    /// What the doctor sees.
    package var inspections: Inspections {
        Inspections(
            keyring: doubles.keyring, memory: memory, inspection: self,
            isBusAddressStale: isBusAddressStale, canPrompt: { self.canPrompt },
            gitVersion: { self.gitVersion().map { Array($0.utf8) } },
            gitConfiguration: {
                self.gitConfiguration.map { lines in
                    OriginatedEntry.parse(lines.flatMap { Array("\($0.scope)\0\($0.origin)\0\($0.line)\0".utf8) })
                }
            },
            program: { self.programs[$0] }, programVersion: { _ in self.programVersion.map { Array($0.utf8) } },
            lockDirectory: { "/run/user/1000/git-credential-gitspace" }, transport: { _ in self.doubles.transport },
            remote: remote, isInterrupted: { self.isInterrupted },
            version: "1.2.3", isRoot: isRoot, landlock: landlock)
    }
}
