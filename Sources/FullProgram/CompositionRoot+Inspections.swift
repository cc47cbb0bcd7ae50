internal import CredentialCore
internal import CurlTransport
internal import GLibSupport
internal import Glibc
internal import Helper
internal import Keyrings
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
            inspections: { CompositionRoot(streams, signals, for: $0, reading: configuration).inspections() },
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

    /// A keyring that never prompts, and shorter timeouts for servers.
    func inspections() -> Inspections {
        let signals = signals
        let trace = streams.trace
        let files = configurationFiles
        let isInterrupted = { !signals.isShielding && signals.look() }
        let nowhere = HostName(name: "")
        let entries = dependencies.configuration
        let settings = {
            (try? entries()).flatMap {
                try? SignInSettings(Configuration($0, for: nowhere), host: nowhere, environment: { Environment[$0] })
            }
        }
        let keyring = LibsecretKeyring(collection: settings()?.collection, canPrompt: false, interrupted: isInterrupted)
        let memory = MemoryCache(locks: dependencies.locks)
        let timeouts = TransportTimeouts(connect: .seconds(5), total: .seconds(10), silence: .seconds(5))
        let store = FallbackKeyring(keyring, else: memory, mayBeChosen: { GitConfiguration.mayNameStore }) {
            settings()?.store ?? .auto
        }
        return Inspections(
            keyring: store, memory: memory, inspection: keyring, isBusAddressStale: GLibProcess.isBusAddressStale,
            canPrompt: { Self.canPrompt(entries) }, gitVersion: files.gitVersion,
            gitConfiguration: { try? files.entries() }, program: ProgramSearch.find,
            programVersion: { ChildProcess.output(of: [$0, "--version"], within: 5_000) },
            lockDirectory: { LockDirectory.usable },
            transport: {
                Self.transport($0, trace, isInterrupted, timeouts) { store.password(for: $0, at: SystemClock().now) }
            },
            remote: Container.isHere ? .container : Environment["SSH_CONNECTION"] == nil ? nil : .ssh,
            version: Version.text, isRoot: geteuid() == 0, landlock: Confinement.landlockVersion)
    }
}
