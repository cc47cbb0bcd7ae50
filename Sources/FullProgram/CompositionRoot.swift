internal import Configuration
internal import CurlTransport
internal import GitCommands
internal import Helper
internal import Hosts
internal import Keyring
internal import LibsecretKeyring
internal import Machine
internal import MachineLock
internal import Terminal

/// The one place that knows everything: it makes the world in which the helper works.
struct CompositionRoot {
    /// The world.
    let world: World

    /// Makes the world.
    ///
    /// - Parameters:
    ///   - streams: standard input and output.
    ///   - signals: what asks us to end.
    ///   - host: the host in question, for the settings that may differ from host to host.
    init(_ streams: StandardStreams, _ signals: SignalWatch, for host: HostName?) {
        let git = GitConfiguration()
        let host = host ?? HostName(name: "")
        let settings = {
            SignInSettings(Configuration(git.entries, for: host), host: host, environment: { Environment[$0] })
        }
        let person = TerminalPerson(streams: streams, signals: signals)
        let isInterrupted = { !signals.isShielding && (signals.look() || streams.isAbandoned) }
        let keyring = LibsecretKeyring(
            collection: settings().collection, canPrompt: Self.canPrompt, interrupted: isInterrupted,
            willPrompt: { person.say(.waitingForKeyring) })
        world = World(
            keyring: ChosenKeyring(keyring, else: MemoryCache(), choice: { settings().store }),
            configuration: { git.entries },
            environment: { Environment[$0] },
            transport: { Self.transport($0, isInterrupted) },
            person: person,
            complain: { complaint in
                person.makeWay()
                Complaints.write(complaint)
            },
            locks: FileLocks(),
            clock: SystemClock(),
            signals: signals,
            builtInClientID: { host in host.displayName == "github.com" ? Environment.builtInGitHubClientID : nil },
            isPersonsOwnCommand: { AskingCommand.subcommand() == "credential" })
    }

    /// What else `doctor` looks at, with a keyring that asks nobody and less patience with servers.
    static func surroundings(_ signals: SignalWatch, of world: World) -> Surroundings {
        let isInterrupted = { !signals.isShielding && signals.look() }
        let keyring = LibsecretKeyring(
            collection: SignInSettings(
                Configuration(world.configuration(), for: HostName(name: "")), host: HostName(name: ""),
                environment: { Environment[$0] }
            ).collection, canPrompt: false, interrupted: isInterrupted)
        return Surroundings(
            keyring: keyring, inspection: keyring, canPrompt: canPrompt, gitVersion: GitConfiguration.version,
            gitConfiguration: GitConfiguration.listingWithOrigins, program: ProgramSearch.find,
            programVersion: { ChildProcess.output(of: [$0, "--version"], within: 5_000) },
            lockDirectory: { LockDirectory.usable },
            transport: { configuration in
                transport(
                    configuration, isInterrupted,
                    TransportTimeouts(connect: .seconds(5), total: .seconds(10), silence: .seconds(5)))
            }, isInterrupted: { signals.look() }, version: Version.text, isRoot: Environment.isRoot)
    }

    private static func transport(
        _ configuration: TransportConfiguration, _ isInterrupted: @escaping () -> Bool,
        _ timeouts: TransportTimeouts = TransportTimeouts()
    ) -> CurlTransport {
        CurlTransport(
            settings: TransportSettings(
                proxy: configuration.proxy, caFile: configuration.caFile, caPath: configuration.caDirectory,
                userAgent: "git-credential-gitspace/\(Version.text)"),
            timeouts: timeouts, isInterrupted: isInterrupted)
    }

    /// Whether a password prompt of the keyring can be seen, and is welcome.
    private static var canPrompt: Bool {
        let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { Environment[$0]?.isEmpty == false }
        let nothing = Configuration([], for: HostName(name: ""))
        return hasDisplay && Interactivity.prohibition(nothing, environment: { Environment[$0] }) == nil
    }
}
