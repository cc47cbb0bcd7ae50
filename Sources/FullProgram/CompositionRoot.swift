internal import Commands
internal import CredentialCore
internal import CurlTransport
internal import Glibc
internal import Helper
internal import LibsecretKeyring
internal import MemoryCache
internal import System
internal import UserInterface

/// The one place that knows everything: it makes what the helper depends on.
struct CompositionRoot {
    /// What the operations and verbs depend on.
    let dependencies: Dependencies
    /// Other programs' items in the keyring.
    let foreignKeyring: any ForeignKeyring
    /// Opens a page where the person sits, unless they might not see it, or do not want it; says whether it does.
    let open: (HTTPSAddress) -> Bool

    /// Makes the dependencies.
    ///
    /// - Parameters:
    ///   - streams: standard input and output.
    ///   - signals: what asks us to end.
    ///   - host: the host in question, for the settings that may differ from host to host.
    init(_ streams: StandardStreams, _ signals: SignalWatch, for host: HostName?) {
        let trace = streams.trace
        let git = GitConfiguration()
        let host = host ?? HostName(name: "")
        let settings = {
            SignInSettings(Configuration(git.entries, for: host), host: host, environment: { Environment[$0] })
        }
        let screen = { ScreenSettings(Configuration(git.entries, for: host), environment: { Environment[$0] }) }
        let terminal = TerminalUI(streams: streams, signals: signals, settings: screen)
        let locks = FileLocks()
        let ui = FallbackUI(
            terminal,
            else: NotificationUI(
                onBus: NotificationBusAddress.find(environment: { Environment[$0] }), locks: locks,
                isCancelled: { signals.look() }, isAbandoned: { streams.isAbandoned },
                aids: { NotificationAids(screen(), in: .here) }))
        let isInterrupted = { !signals.isShielding && (signals.look() || streams.isAbandoned) }
        let keyring = LibsecretKeyring(
            collection: settings().collection, canPrompt: Self.canPrompt, interrupted: isInterrupted,
            willPrompt: { ui.say(.waitingForKeyring) })
        let chosen = FallbackKeyring(keyring, else: MemoryCache(), choice: { settings().store })
        foreignKeyring = keyring
        open = { page in
            let choice = screen().browser
            guard DesktopSession.here.opensByItself(choice),
                var process = Browser.open(page, with: choice, in: .here)
            else { return false }
            // What cannot open it says so soon; a browser may stay.
            for _ in 0..<20 where process.look() == .running { poll(nil, 0, 50) }
            return process.look() != .failed
        }
        dependencies = Dependencies(
            keyring: trace.isOn ? TracedKeyring(chosen, trace) : chosen,
            configuration: { git.entries },
            environment: { Environment[$0] },
            transport: { Self.transport($0, trace, isInterrupted) },
            ui: ui,
            report: { complaint in
                trace { "complaint: \(complaint)" }
                terminal.makeWay()
                ErrorOutput.write(complaint)
            },
            locks: locks,
            clock: SystemClock(),
            signals: signals,
            builtInClientID: { host in host.displayName == "github.com" ? Environment.builtInGitHubClientID : nil },
            isPersonsOwnCommand: { AskingCommand.subcommand() == "credential" },
            trace: { words in trace(words) })
    }

    /// The way to a provider.
    static func transport(
        _ configuration: TransportConfiguration, _ trace: Trace, _ isInterrupted: @escaping () -> Bool,
        _ timeouts: TransportTimeouts = TransportTimeouts()
    ) -> CurlTransport {
        CurlTransport(
            settings: TransportSettings(
                proxy: configuration.proxy, caFile: configuration.caFile, caPath: configuration.caDirectory,
                userAgent: "git-credential-gitspace/\(Version.text)"),
            timeouts: timeouts, isInterrupted: isInterrupted, trace: trace.isOn ? { words in trace { words } } : nil)
    }

    /// Whether a password prompt of the keyring can be seen, and is welcome.
    static var canPrompt: Bool {
        let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { Environment[$0]?.isEmpty == false }
        let nothing = Configuration([], for: HostName(name: ""))
        return hasDisplay && Interactivity.prohibition(nothing, environment: { Environment[$0] }) == nil
    }
}
