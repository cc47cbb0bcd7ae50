internal import CredentialCore
internal import CurlTransport
internal import GLibSupport
internal import Glibc
internal import Helper
internal import Keyrings
internal import Providers
internal import Sandbox
internal import System
internal import UserInterface
internal import Verbs

extension CompositionRoot {
    /// `made` gets the dependencies that a verb asks for, whose terminal shows a sign-in and reports an error.
    func verbDependencies(_ made: @escaping (Dependencies) -> Void) -> VerbDependencies {
        let (streams, signals, configuration, screen, keyring) = (streams, signals, configuration, screen, keyring)
        let files = configurationFiles
        // Asked for once: nothing here changes it.
        var remote: String??
        return VerbDependencies(
            dependencies: {
                var dependencies = CompositionRoot(streams, signals, for: $0, reading: configuration).dependencies
                dependencies.answersGit = false
                made(dependencies)
                return dependencies
            }, questions: questions,
            files: files, foreignKeyring: keyring, foreignFiles: PlainFiles(),
            inspections: { Machine(CompositionRoot(streams, signals, for: $0, reading: configuration)) },
            unlockableKeyring: { keyring }, sharing: sharing,
            remote: {
                let address = remote ?? CurrentRemote.address(among: try? files.entries())
                remote = .some(address)
                return address
            },
            branch: { CurrentRemote.branch }, isInterrupted: { signals.look() },
            say: {
                let lines = TextOutput.lines($0, to: streams.answerDescriptor, screen)
                let styled = lines.map {
                    TextOutput.styled(DisplayText.lines($0), for: streams.answerDescriptor, screen) + "\n"
                }
                _ = streams.send(Array(styled.joined().utf8))
            },
            print: { _ = streams.send($0) })
    }
}

/// The machine as `doctor` sees it, with a keyring that never prompts, and shorter timeouts for servers.
private struct Machine: Inspections {
    private let root: CompositionRoot
    private let isInterrupted: () -> Bool
    private let store: FallbackKeyring
    let memory: any Keyring
    let inspection: any KeyringInspection

    init(_ root: CompositionRoot) {
        let (signals, entries) = (root.signals, root.dependencies.configuration)
        let isInterrupted = { !signals.isShielding && signals.look() }
        let settings = { try? CompositionRoot.settings(entries(), for: HostName(name: "")) }
        let keyring = LibsecretKeyring(collection: settings()?.collection, canPrompt: false, interrupted: isInterrupted)
        let memory = MemoryCache(locks: root.dependencies.locks)
        store = FallbackKeyring(keyring, else: memory, mayBeChosen: { GitConfiguration.mayNameStore }) {
            settings()?.store ?? .auto
        }
        self.root = root
        self.isInterrupted = isInterrupted
        self.memory = memory
        inspection = keyring
    }

    var keyring: any Keyring { store }
    var isBusAddressStale: Bool { GLibProcess.bus.isAddressStale }
    var canPrompt: Bool { CompositionRoot.canPrompt(root.dependencies.configuration) }
    var gitVersion: [UInt8]? { root.configurationFiles.gitVersion() }
    var gitConfiguration: [OriginatedEntry]? { try? root.configurationFiles.entries() }
    func program(_ name: String) -> String? { ProgramSearch.find(name) }
    func programVersion(_ path: String) -> [UInt8]? { ChildProcess.output(of: [path, "--version"]) }
    var lockDirectory: String? { LockDirectory.usable }
    var version: String { Version.text }
    var isRoot: Bool { geteuid() == 0 }
    var landlock: Int? { Confinement.landlockVersion }

    func transport(_ configuration: TransportConfiguration) -> any Transport {
        let timeouts = TransportTimeouts(connect: .seconds(5), total: .seconds(10), silence: .seconds(5))
        return CompositionRoot.transport(configuration, root.streams.trace, isInterrupted, timeouts) { [store] in
            store.password(for: $0, at: SystemClock().now)
        }
    }
}
