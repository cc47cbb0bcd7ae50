internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `share NAME`, `share ssh HOST`, `share list`, `share stop NAME`.
///
/// One verb instead of four, so that `share -h` lists all options.
struct ShareVerb: PersonsVerb {
    static let configuration = CommandConfiguration("share", HelpWords.Share.verb)

    @Argument(help: ArgumentHelp(HelpWords.Share.word, valueName: "name|list|stop|ssh"))
    var word: String

    @Argument(help: ArgumentHelp(HelpWords.Share.object, valueName: "name|host"))
    var object: String?

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

    @Option(help: ArgumentHelp(HelpWords.Share.name))
    var name: String?

    @Flag(help: ArgumentHelp(HelpWords.Share.refresh))
    var refresh = false

    /// systemd has created the socket, and only git's configuration decides what may be shared.
    @Flag(help: .hidden)
    var serve = false

    /// Seconds without a request after which it ends, if systemd has created the socket.
    @Option(help: .hidden)
    var idle: UInt32?

    func validate() throws {
        guard confirm == nil || confirmation != nil else { throw ValidationError(UsageWords.confirmation) }
        guard lifetime == nil || milliseconds != nil else { throw ValidationError(UsageWords.lifetime) }
        guard (word == "stop" || word == "ssh") == (object != nil) else { throw ValidationError(UsageWords.shareForms) }
        guard !refresh || word == "stop", name == nil || word == "ssh" else {
            throw ValidationError(UsageWords.shareForms)
        }
    }

    func command(_ start: VerbStart) throws(UserFacingError) -> ShareCommand {
        let sharing = start.outside.sharing()
        let places = sharing.places
        switch word {
        case "list": return .list(ShareList(places))
        case "stop":
            return .stop(
                ShareStop(
                    try PlaceName(checking: object ?? ""), refreshes: refresh, places: places,
                    with: start.root(for: nil).dependencies))
        case "ssh":
            let destination = object ?? ""
            let place = try name.map { name throws(UserFacingError) in try PlaceName(checking: name) }
            return share(
                Share.Start(
                    place ?? PlaceName(forDestination: destination), typed: settings, lifetime: milliseconds,
                    destination: destination), start, sharing)
        default:
            let place = try PlaceName(checking: word)
            let idle = idle.map { Int64($0) * 1_000 } ?? Share.Start.usualIdle
            return share(
                serve
                    ? Share.Start(place, typed: nil, idle: idle)
                    : Share.Start(place, typed: settings, lifetime: milliseconds), start, sharing)
        }
    }

    private func share(_ what: Share.Start, _ start: VerbStart, _ sharing: Share.Outside) -> ShareCommand {
        let root = start.root(for: nil)
        let resolver = PlaceResolver(files: root.configurationFiles, with: root.dependencies)
        return .share(Share(what, resolver: resolver, sharing))
    }

    private var milliseconds: Int64? { lifetime.flatMap { ShareSettings.lifetime($0) } }

    private var confirmation: SharedPlace.Confirmation? { confirm.flatMap { SharedPlace.Confirmation(rawValue: $0) } }

    private var settings: ShareSettings {
        var settings = ShareSettings()
        settings.hosts = host
        settings.username = username
        settings.confirmation = confirmation
        settings.isLongLived = longLived
        return settings
    }
}

extension PlaceName {
    /// Checks a name as it was typed.
    fileprivate init(checking text: String) throws(UserFacingError) {
        guard let name = PlaceName(text) else { throw .share(.malformedName(DisplayText(text.utf8))) }
        self = name
    }
}
