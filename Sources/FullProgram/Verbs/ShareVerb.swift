internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System

/// The verb `share`: of a place, or of an SSH host; what is shared; the end of it.
struct ShareVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        "share", HelpWords.Share.verb,
        subcommands: [ShareStartVerb.self, ShareListVerb.self, ShareStopVerb.self, ShareSSHVerb.self],
        defaultSubcommand: ShareStartVerb.self)
}

/// What a place may have, as it is typed.
struct ShareOptions: ParsableArguments {
    @Option(help: ArgumentHelp(HelpWords.Share.host, valueName: "host"))
    var host: [String] = []

    @Option(help: ArgumentHelp(HelpWords.Share.username))
    var username: String?

    @Option(help: ArgumentHelp(HelpWords.Share.confirm, valueName: "never|once|each"))
    var confirm: String?

    @Option(name: .customLong("for"), help: ArgumentHelp(HelpWords.Share.lifetime, valueName: "time"))
    var lifetime: String?

    @Flag(help: ArgumentHelp(HelpWords.Share.longLived))
    var longLived = false

    func validate() throws {
        guard confirm == nil || confirmation != nil else { throw ValidationError(UsageWords.confirmation) }
        guard lifetime == nil || milliseconds != nil else { throw ValidationError(UsageWords.lifetime) }
    }

    var milliseconds: Int64? { lifetime.flatMap { ShareSettings.lifetime($0) } }

    private var confirmation: SharedPlace.Confirmation? { confirm.flatMap { SharedPlace.Confirmation(rawValue: $0) } }

    var settings: ShareSettings {
        var settings = ShareSettings()
        settings.hosts = host
        settings.username = username
        settings.confirmation = confirmation
        settings.isLongLived = longLived
        return settings
    }
}

/// `share NAME`.
struct ShareStartVerb: PersonsVerb {
    static let configuration = CommandConfiguration("start", HelpWords.Share.start)

    @Argument(help: ArgumentHelp(HelpWords.Share.name))
    var name: String

    @OptionGroup var options: ShareOptions

    /// systemd has made the socket, and only git's configuration says what may be shared.
    @Flag(help: .hidden)
    var serve = false

    /// Seconds without a request after which it ends, if systemd has made the socket.
    @Option(help: .hidden)
    var idle: Int64?

    func command(_ start: VerbStart) throws(UserFacingError) -> Share {
        let name = try PlaceName(checking: name)
        return start.share(
            serve
                ? Share.Start(name, typed: nil, idle: idle.map { $0 * 1_000 } ?? Share.Start.usualIdle)
                : Share.Start(name, typed: options.settings, lifetime: options.milliseconds))
    }
}

/// `share ssh HOST`.
struct ShareSSHVerb: PersonsVerb {
    static let configuration = CommandConfiguration("ssh", HelpWords.Share.ssh)

    @Argument(help: ArgumentHelp(HelpWords.Share.destination))
    var destination: String

    @Option(help: ArgumentHelp(HelpWords.Share.sshName))
    var name: String?

    @OptionGroup var options: ShareOptions

    func command(_ start: VerbStart) throws(UserFacingError) -> Share {
        let name = try name.map { name throws(UserFacingError) in try PlaceName(checking: name) }
        return start.share(
            Share.Start(
                name ?? PlaceName(forDestination: destination), typed: options.settings, lifetime: options.milliseconds,
                destination: destination))
    }
}

/// `share list`.
struct ShareListVerb: PersonsVerb {
    static let configuration = CommandConfiguration("list", HelpWords.Share.list)

    func command(_ start: VerbStart) -> ShareList { ShareList(SystemPlaces(signals: start.signals)) }
}

/// `share stop NAME [--refresh]`.
struct ShareStopVerb: PersonsVerb {
    static let configuration = CommandConfiguration("stop", HelpWords.Share.stop)

    @Argument(help: ArgumentHelp(HelpWords.Share.stopName))
    var name: String

    @Flag(help: ArgumentHelp(HelpWords.Share.refresh))
    var refresh = false

    func command(_ start: VerbStart) throws(UserFacingError) -> ShareStop {
        ShareStop(
            try PlaceName(checking: name), refreshes: refresh, places: SystemPlaces(signals: start.signals),
            with: start.root(for: nil).dependencies)
    }
}

extension PlaceName {
    /// A name as it was typed.
    fileprivate init(checking text: String) throws(UserFacingError) {
        guard let name = PlaceName(text) else { throw .share(.malformedName(DisplayText(text.utf8))) }
        self = name
    }
}

extension VerbStart {
    /// The command that shares.
    fileprivate func share(_ what: Share.Start) -> Share {
        let root = root(for: nil)
        return Share(
            what, resolver: PlaceResolver(files: root.configurationFiles, with: root.dependencies),
            root.sharing(SystemPlaces(signals: signals)))
    }
}
