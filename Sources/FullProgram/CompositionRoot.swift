internal import CredentialCore
internal import Cryptography
internal import CurlTransport
internal import FrontDoor
internal import GLibSupport
internal import Helper
internal import Keyrings
internal import Providers
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
}

// These types conform to the helper's protocols as they are.
extension SystemClock: Clock {}
extension SignalWatch: SignalShield {}
extension LibsecretKeyring: KeyringUnlocking {}
extension GitConfigurationFiles: ConfigurationFiles {}
extension PlainFiles: ForeignFiles {}
extension SignInNotesFiles: SignInNotes {}
