package import CredentialCore
internal import Helper
internal import Providers
package import Verbs

/// A machine without faults, until a test sets one.
package final class ScriptedInspections: KeyringInspection {
    /// The error of the bus, else of the program, else of the collection.
    package var busFault: KeyringError?
    package var providerFault: KeyringError?
    package var collectionFault: KeyringError?
    package var providerName: String? = "gnome-keyring-daemon"
    /// Whether the collection for new items is locked, and the names of other locked ones.
    package var isLocked = false
    package var lockedBeside: [String] = []
    /// Whether the environment names a bus that has ended.
    package var isBusAddressStale = false
    package var canPrompt = false
    package var gitVersion: () -> String? = { "git version 2.47.3\n" }
    /// git's configuration as triples of scope, origin and line, or `nil` if git cannot list it.
    package var gitConfiguration: [(scope: String, origin: String, line: String)]? = [
        ("global", "file:/home/octocat/.gitconfig", "credential.https://github.com.helper\n"),
        ("global", "file:/home/octocat/.gitconfig", "credential.https://github.com.helper\ngitspace"),
    ]
    /// Programs by the names or paths that lead to them.
    package var programs = ["git-credential-gitspace": "/usr/bin/git-credential-gitspace"]
    package var programVersion: String? = "git-credential-gitspace 1.2.3\n"
    package var isRoot = false
    package var landlock: Int? = 7
    /// git's cache in memory.
    package let memory = InMemoryKeyring(storage: .memory, name: "memory")
    private let doubles: Doubles
    package init(_ doubles: Doubles) { self.doubles = doubles }
    package func checkBus() throws(KeyringError) { if let busFault { throw busFault } }

    package func provider() throws(KeyringError) -> String? {
        if let providerFault { throw providerFault }
        return providerName
    }

    package var offeringProgram = KeyringProgram.gnomeKeyring
    package var namesOfLocked: [DisplayText] { [] }

    package func locked(_ selection: CollectionSelection) throws(KeyringError) -> [LockedCollection] {
        var names = isLocked ? ["login"] : []
        if case .all = selection { names += lockedBeside } else if let collectionFault { throw collectionFault }
        return names.map { LockedCollection(path: "/collection/\($0)", name: DisplayText(untrusted: $0.utf8)) }
    }

    package var inspections: any Inspections { ScriptedMachine(script: self, doubles: doubles) }
}

private struct ScriptedMachine: Inspections {
    let script: ScriptedInspections
    let doubles: Doubles
    var keyring: any Keyring { doubles.keyring }
    var memory: any Keyring { script.memory }
    var inspection: any KeyringInspection { script }
    var isBusAddressStale: Bool { script.isBusAddressStale }
    var canPrompt: Bool { script.canPrompt }
    var gitVersion: [UInt8]? { script.gitVersion().map { Array($0.utf8) } }
    var gitConfiguration: [OriginatedEntry]? {
        script.gitConfiguration.map { lines in
            OriginatedEntry.parse(lines.flatMap { Array("\($0.scope)\0\($0.origin)\0\($0.line)\0".utf8) })
        }
    }
    func program(_ name: String) -> String? { script.programs[name] }
    func programVersion(_ path: String) -> [UInt8]? { script.programVersion.map { Array($0.utf8) } }
    var lockDirectory: String? { "/run/user/1000/git-credential-gitspace" }
    func transport(_ configuration: TransportConfiguration) -> any Transport { doubles.transport }
    var version: String { "1.2.3" }
    var isRoot: Bool { script.isRoot }
    var landlock: Int? { script.landlock }
}
