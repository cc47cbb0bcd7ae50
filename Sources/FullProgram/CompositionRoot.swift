internal import Commands
internal import CredentialCore
internal import Cryptography
internal import CurlTransport
internal import Helper
internal import LibsecretKeyring
internal import MemoryCache
internal import OAuth
internal import System
internal import UserInterface

/// The one place that knows everything: it makes what the helper depends on.
struct CompositionRoot {
    /// What the operations and verbs depend on.
    let dependencies: Dependencies
    /// Other programs' items in the keyring.
    let foreignKeyring: any ForeignKeyring
    /// git's configuration files.
    let configurationFiles: any ConfigurationFiles = GitConfigurationFiles()
    /// Files in which other tools keep credentials.
    let foreignFiles: any ForeignFiles = PlainFiles()
    /// Asks the person at the terminal.
    let questions: any Questions
    let streams: StandardStreams
    let signals: SignalWatch

    /// Makes the dependencies.
    ///
    /// - Parameters:
    ///   - streams: standard input and output.
    ///   - signals: what asks us to end.
    ///   - host: the host in question, for the settings that may differ from host to host.
    ///   - isForPlace: whether a place asks with which a sign-in is shared, and so nobody may be asked anything.
    init(_ streams: StandardStreams, _ signals: SignalWatch, for host: HostName?, isForPlace: Bool = false) {
        self.streams = streams
        self.signals = signals
        let trace = streams.trace
        let clock = SystemClock()
        let git = GitConfiguration()
        let host = host ?? HostName(name: "")
        let settings = { () throws(ConfigurationError) in
            SignInSettings(Configuration(try git.entries(), for: host), host: host, environment: { Environment[$0] })
        }
        let screen = {
            (try? git.entries()).map {
                ScreenSettings(Configuration($0, for: host), environment: { Environment[$0] })
            } ?? .quietest
        }
        let terminal = TerminalUI(streams: streams, signals: signals, clock: clock, settings: screen)
        let locks = FileLocks()
        let ui = FallbackUI(
            terminal,
            else: NotificationUI(
                onBus: Self.desktopBus, locks: locks, clock: clock,
                isCancelled: { signals.look() }, isAbandoned: { streams.isAbandoned },
                aids: { NotificationAids(screen(), in: .here, clock: clock) }))
        // Nobody need read what a listener prints.
        let isInterrupted = { !signals.isShielding && (signals.look() || (!isForPlace && streams.isAbandoned)) }
        let keyring = LibsecretKeyring(
            collection: (try? settings())?.collection, canPrompt: !isForPlace && Self.canPrompt(git.entries),
            isPersonHere: !isForPlace && ui.hasTerminal && DesktopSession.here.isAtThisMachine
                && Self.isAllowed(git.entries),
            interrupted: isInterrupted, willPrompt: { ui.say(.waitingForKeyring($0)) })
        let chosen = FallbackKeyring(
            keyring, else: MemoryCache(locks: locks),
            choice: { () throws(ConfigurationError) in
                if let store = SignInSettings.store(environment: { Environment[$0] }) { return store }
                return try settings().store
            })
        foreignKeyring = keyring
        questions = TerminalQuestions(
            signals: signals, browser: { Self.open($0, with: screen().browser) })
        let store: any Keyring = isForPlace ? PassingKeyring(chosen) : chosen
        dependencies = Dependencies(
            keyring: trace.isOn ? TracedKeyring(store, trace) : store,
            configuration: git.entries,
            environment: { Environment[$0] },
            transport: { Self.transport($0, trace, isInterrupted) },
            ui: isForPlace ? NobodyUI(signals) : ui,
            report: { error in
                trace { "error: \(error)" }
                terminal.makeWay()
                ErrorOutput.write(error, keyringBy: { keyring.offeringProgram })
            },
            locks: locks,
            signInNotes: SignInNotesFiles(),
            refusedTokens: RefusedTokensFile(besideLocksOf: locks),
            clock: clock,
            signals: signals,
            builtInClientID: { Environment.builtInClientID(of: $0.displayName.text) },
            isPersonsOwnCommand: { AskingCommand.subcommand() == "credential" },
            signingKey: SigningKey.read,
            signatureVerifier: LibcryptoVerifier(),
            trace: { words in trace(words) })
    }

    /// Where notifications are shown: on a bus that the environment leads to.
    ///
    /// What cron(8) starts finds the bus as well, for the keyring's sake, but no person has started it: a notification
    /// would ask for a sign-in that nobody wants. Found before the keyring, which then names the bus to GLib.
    private static let desktopBus: SessionBusAddress? = {
        let isNamed = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].contains { Environment[$0]?.isEmpty == false }
        return isNamed ? SessionBusAddress(environment: { Environment[$0] }) : nil
    }()

    /// Opens a page where the person sits, unless they might not see it, or do not want it; says whether it does.
    private static func open(_ page: HTTPSAddress, with choice: BrowserChoice) -> Bool {
        guard DesktopSession.here.opensByItself(choice), var process = Browser.open(page, with: choice, in: .here)
        else { return false }
        // What cannot open it says so soon; a browser may stay.
        for _ in 0..<20 where process.look() == .running { SystemClock.pause(milliseconds: 50) }
        return process.look() != .failed
    }

    /// The way to a provider.
    static func transport(
        _ configuration: TransportConfiguration, _ trace: Trace, _ isInterrupted: @escaping () -> Bool,
        _ timeouts: TransportTimeouts = TransportTimeouts()
    ) -> CurlTransport {
        CurlTransport(
            configuration, userAgent: "git-credential-gitspace/\(Version.text)", timeouts: timeouts,
            uptimeMilliseconds: { SystemClock().uptimeMilliseconds }, isInterrupted: isInterrupted,
            trace: trace.isOn ? { words in trace { words } } : nil)
    }

    /// Whether a password prompt of the keyring can be seen, and is welcome: what forbids a sign-in forbids it as well,
    /// and so does a configuration that cannot be read.
    static func canPrompt(_ configuration: () throws(ConfigurationError) -> [ConfigurationEntry]) -> Bool {
        ["WAYLAND_DISPLAY", "DISPLAY"].contains { Environment[$0]?.isEmpty == false } && isAllowed(configuration)
    }

    private static func isAllowed(_ configuration: () throws(ConfigurationError) -> [ConfigurationEntry]) -> Bool {
        guard let entries = try? configuration() else { return false }
        let general = Configuration(entries, for: HostName(name: ""))
        return Interactivity.prohibition(general, environment: { Environment[$0] }) == nil
    }
}
