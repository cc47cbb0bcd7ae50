internal import CredentialCore
internal import Cryptography
internal import CurlTransport
internal import FrontDoor
internal import GLibSupport
internal import Glibc
internal import Helper
internal import Keyrings
internal import Providers
internal import Sandbox
internal import Share
internal import System
internal import UserInterface
internal import Verbs

struct CompositionRoot {
    let dependencies: Dependencies
    let keyring: LibsecretKeyring
    let configurationFiles: any ConfigurationFiles
    let configuration: GitConfiguration
    let screen: () -> ScreenSettings
    let questions: any Questions
    let streams: StandardStreams
    let signals: SignalWatch

    /// Settings may differ by the request's `host`; `isForTarget` is true for a request of a share's target, for which
    /// nothing may prompt.
    init(
        _ streams: StandardStreams, _ signals: SignalWatch, for host: HostName?,
        reading git: GitConfiguration = GitConfiguration(), isForTarget: Bool = false
    ) {
        self.streams = streams
        self.signals = signals
        configuration = git
        configurationFiles = GitConfigurationFiles(git)
        let trace = streams.trace
        let clock = SystemClock()
        let host = host ?? HostName(name: "")
        let settings = { () throws(ConfigurationError) in
            try Self.settings(git.entries(), for: host)
        }
        let screen = {
            ScreenSettings((try? git.entries()).map { Configuration($0, for: host) }, environment: { Environment[$0] })
        }
        self.screen = screen
        let terminal = TerminalUI(streams: streams, signals: signals, clock: clock, settings: screen)
        let locks = FileLocks()
        let ui = FallbackUI(
            terminal,
            else: NotificationUI(
                onBus: Self.desktopBus, locks: locks, clock: clock, signals: [signals.number],
                answer: [streams.answerDescriptor], isCancelled: { signals.look() },
                isAbandoned: { streams.isAbandoned }, aids: { NotificationAids(screen(), in: .here, clock: clock) }))
        // A share goes on even if its output is not read.
        let isInterrupted = { !signals.isShielding && (signals.look() || (!isForTarget && streams.isAbandoned)) }
        let questions = TerminalQuestions(signals: signals, settings: screen)
        self.questions = questions
        let help = KeyringHelp(questions, locks: locks) { !isForTarget && Self.isAllowed(git.entries) }
        let keyring = LibsecretKeyring(
            collection: (try? settings())?.collection, canPrompt: !isForTarget && Self.canPrompt(git.entries),
            isPersonHere: !isForTarget && ui.hasTerminal && DesktopSession.here.isAtThisMachine
                && Self.isAllowed(git.entries),
            interrupted: isInterrupted, willPrompt: { ui.say(.waitingForKeyring($0)) },
            inPassing: { isForTarget ? SessionKeyring.items(having: $0, trace) : nil },
            help: { keyring, failure, selection throws(KeyringError) in
                try help.help(keyring, after: failure, selection)
            },
            trace: trace.isOn ? { words in trace { words } } : nil)
        let store = FallbackKeyring(
            keyring, else: MemoryCache(locks: locks), locks: locks, mayBeChosen: { GitConfiguration.mayNameStore },
            hasMemory: { CredentialCacheSocket.exists },
            choice: { () throws(ConfigurationError) in try settings().store })
        self.keyring = keyring
        dependencies = Dependencies(
            keyring: store, configuration: git.entries, environment: { Environment[$0] },
            transport: { Self.transport($0, trace, isInterrupted) { store.password(for: $0, at: clock.now) } },
            ui: isForTarget ? NobodyUI(signals) : ui,
            redirect: { address throws(SignInError) in try LoopbackListener(at: address) },
            report: { error in
                trace { "error: \(error)" }
                terminal.clearLine()
                ErrorOutput.write(
                    error, keyringBy: { keyring.offeringProgram }, locked: { keyring.namesOfLocked }, screen)
            },
            locks: locks, signInNotes: SignInNotesFiles(), refusedTokens: RefusedTokensFile(besideLocksOf: locks),
            clock: clock, signals: signals, builtInClientID: { Environment.builtInClientID(of: $0.displayName.text) },
            requester: { AskingCommand.requester }, isMaintenance: { AskingCommand.isMaintenance },
            askingRepository: { Self.askingRepository }, isInContainer: { Container.isHere },
            signingKey: PrivateKey.init(named:), signatureVerifier: LibcryptoVerifier(),
            asciiName: CurlLibrary.asciiName, trace: { words in trace(words) })
    }

    static func settings(
        _ entries: [ConfigurationEntry], for host: HostName
    ) throws(ConfigurationError) -> SignInSettings {
        try SignInSettings(Configuration(entries, for: host), host: host, environment: { Environment[$0] })
    }

    /// The bus for notifications, if the environment names one.
    ///
    /// A process of cron(8) finds the bus as well, for the keyring, but a person has not started it: a notification
    /// would ask for an unwanted sign-in. Determined before the keyring, which sets the bus for GLib.
    private static let desktopBus: SessionBusAddress? = {
        let isNamed = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].contains { Environment[$0]?.isEmpty == false }
        return isNamed ? GLibProcess.sessionBus : nil
    }()

    private static var askingRepository: AskingRepository {
        let isSubmodules = AskingCommand.isAboutSubmodule
        return AskingRepository(
            AskingCommand.isClone ? (isSubmodules ? .submodule : .clone) : .folder(AskingCommand.otherFolder),
            remotes: CurrentRemote.all)
    }

    static func transport(
        _ configuration: TransportConfiguration, _ trace: Trace, _ isInterrupted: @escaping () -> Bool,
        _ timeouts: TransportTimeouts = TransportTimeouts(), password: @escaping (Request) -> Secret?
    ) -> CurlTransport {
        CurlTransport(
            configuration, userAgent: "git-credential-gitspace/\(Version.text)", timeouts: timeouts,
            uptimeMilliseconds: { SystemClock().uptimeMilliseconds }, isInterrupted: isInterrupted,
            password: password, trace: trace.isOn ? { words in trace { words } } : nil)
    }

    /// Whether a password prompt of the keyring can be seen, and no setting forbids it or cannot be read.
    static func canPrompt(_ configuration: () throws(ConfigurationError) -> [ConfigurationEntry]) -> Bool {
        ["WAYLAND_DISPLAY", "DISPLAY"].contains { Environment[$0]?.isEmpty == false } && isAllowed(configuration)
    }

    private static func isAllowed(_ configuration: () throws(ConfigurationError) -> [ConfigurationEntry]) -> Bool {
        guard let entries = try? configuration() else { return false }
        let general = Configuration(entries, for: HostName(name: ""))
        return Interactivity.prohibition(
            general, environment: { Environment[$0] }, isMaintenance: AskingCommand.isMaintenance) == nil
    }

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

    func sharing(_ outside: VerbDependencies) -> ShareDependencies {
        let (streams, signals) = (streams, signals)
        return ShareDependencies(
            shares: SystemShares(signals: signals, report: { TextOutput.report($0, hanging: 4) }),
            screen: ShareNotification(
                onBus: GLibProcess.sessionBus, locks: FileLocks(), clock: SystemClock(),
                isInterrupted: { signals.look() }),
            clock: SystemClock(),
            // The dependencies for one request of a target: nothing prompts, not even to unlock the keyring.
            dependencies: { CompositionRoot(streams, signals, for: nil, isForTarget: true).dependencies },
            own: outside.dependencies, say: outside.say, words: UserFacingError.unreachable)
    }

    /// Returns the exit status; the process has no keyring, no bus and no terminal.
    static func serveConnection() -> Int32 {
        StandardStreams.openClosed()
        return GatewayProcess.run(
            transport: { configuration, token in
                // Only the passwords may outlive the exchange, not the token.
                let (proxy, key) = (token.proxyPassword, token.keyPassword)
                return CurlTransport(
                    configuration, userAgent: "git-credential-gitspace/\(Version.text)",
                    // The server may take minutes to prepare a pack or to run hooks; git sends progress meanwhile.
                    timeouts: TransportTimeouts(connect: .seconds(30), silence: .seconds(300)),
                    uptimeMilliseconds: { SystemClock().uptimeMilliseconds },
                    // A certificate's request has a path instead of a host.
                    password: { $0.host.isEmpty ? key : proxy }, startsThreads: false)
            }, environment: { Environment[$0] })
    }
}

// These types conform to the helper's protocols as they are.
extension SystemClock: Clock {}
extension SignalWatch: SignalShield {}
extension LibsecretKeyring: KeyringUnlocking {}
extension GitConfigurationFiles: ConfigurationFiles {}
extension PlainFiles: ForeignFiles {}
extension SignInNotesFiles: SignInNotes {}

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

/// A user interface that reaches no person: a request of a target never leads to a sign-in.
final class NobodyUI: SignInUI {
    private let signals: SignalWatch

    init(_ signals: SignalWatch) { self.signals = signals }

    var canBeReached: Bool { false }
    var hasTerminal: Bool { false }
    var opensBrowser: Bool { false }
    func acquirePromptSlot() -> Bool { false }
    func show(_ prompt: SignInPrompt) {}
    func dismissPrompt() {}
    func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome {
        SystemClock.pause(milliseconds: milliseconds)
        return signals.look() ? .cancelled : .elapsed
    }
    func say(_ notice: Notice) {}
}
