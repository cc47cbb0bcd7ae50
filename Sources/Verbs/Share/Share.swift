internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `share NAME`, `share ssh HOST`, `share list`, `share stop NAME`.
///
/// One verb instead of four, so that `share -h` lists all options.
struct Share: Verb {
    static let configuration = CommandConfiguration(
        "share",
        Message("Share your sign-in with a container, a virtual machine or an SSH host."),
        Message("Nothing has to be installed there: git's own credential-cache is the client."),
        Message("Prints the lines to paste, and runs until you stop it."),
        Message("\"share list\" lists what is shared, and when it was last used."),
        Message("A token that was given away stays valid there until it expires, unless you refresh it."))

    @Argument(
        help: ArgumentHelp(
            Message("A name of your choice, such as box; or list, stop or ssh."), valueName: "name|list|stop|ssh"))
    var word: String

    @Argument(
        help: ArgumentHelp(
            Message("For stop, the name that was shared. For ssh, the host as you type it for ssh."),
            valueName: "name|host"))
    var object: String?

    @Option(
        help: ArgumentHelp(
            Message(
                "A host whose token may be used there; can be repeated. Default: all hosts you are signed in to."),
            valueName: "host"))
    var host: [String] = []

    @Option(help: ArgumentHelp(Message("The account. Default: the one that git uses.")))
    var username: String?

    @Option(
        help: ArgumentHelp(
            Message("When a notification asks you first. Default: never, and once for an SSH host."),
            valueName: "never|once|each"))
    var confirm: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(Message("Stop after this time, such as 30m or 8h."), valueName: "time"))
    var lifetime: String?

    @Flag(help: ArgumentHelp(Message("Also share tokens and passwords that do not expire.")))
    var longLived = false

    @Option(help: ArgumentHelp(Message("With ssh, the name under which it is listed. Default: ssh-HOST.")))
    var name: String?

    @Flag(
        help: ArgumentHelp(
            Message("With stop, refresh the tokens that were given away, so that every copy stops working.")))
    var refresh = false

    /// systemd has created the socket, and only git's configuration decides what may be shared.
    @Flag(help: .hidden)
    var serve = false

    /// Seconds without a request after which it ends, if systemd has created the socket.
    @Option(help: .hidden)
    var idle: UInt32?

    func validate() throws {
        guard confirm == nil || settings.confirmation != nil else {
            throw ValidationError(Message("'--confirm' takes never, once or each."))
        }
        guard lifetime == nil || milliseconds != nil else {
            throw ValidationError(Message("'--for' takes minutes, hours or days, such as 30m, 8h or 2d."))
        }
        guard (word == "stop" || word == "ssh") == (object != nil), !refresh || word == "stop",
            name == nil || word == "ssh"
        else {
            throw ValidationError(
                Message(
                    "Use 'share NAME', 'share ssh HOST', 'share list' or 'share stop NAME [--refresh]'; '--name' goes with ssh."
                ))
        }
    }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let sharing = outside.sharing()
        switch (word, object) {
        case ("list", _): return list(sharing.places, outside)
        case ("stop", let object?): return try stop(Self.placeName(object), sharing.places, outside)
        case ("ssh", let destination?):
            let name = try name.map(Self.placeName) ?? PlaceName(forDestination: destination)
            return try ShareStart(outside, sharing).run(
                name, .ssh(destination: destination), settings, lifetime: milliseconds)
        default:
            let name = try Self.placeName(word)
            let start = ShareStart(outside, sharing)
            if serve { return try start.run(activated: name, idle: idle.map { Int64($0) * 1_000 }) }
            return try start.run(name, .directory, settings, lifetime: milliseconds)
        }
    }

    private static func placeName(_ text: String) throws(UserFacingError) -> PlaceName {
        guard let name = PlaceName(text) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" cannot be the name of a shared place", DisplayText(untrusted: text.utf8)),
                [
                    Message("up to 32 letters, digits and . _ - are possible, but not \"list\", \"stop\" or \"ssh\":"),
                    .command("git credential-gitspace share box"),
                ])
        }
        return name
    }

    private var milliseconds: Int64? { lifetime.flatMap { ShareSettings.lifetime($0) } }

    private var settings: ShareSettings {
        var settings = ShareSettings()
        settings.hosts = host
        settings.username = username
        settings.confirmation = confirm.flatMap { ShareTarget.Confirmation(rawValue: $0) }
        settings.isLongLived = longLived
        return settings
    }

    // MARK: list

    private func list(_ places: any ShareTargets, _ outside: VerbDependencies) -> ExitStatus {
        let found = places.all
        if found.isEmpty { outside.say(Message("Nothing is shared.")) }
        for place in found {
            let name = DisplayText(trusted: place.name.text)
            guard place.isRunning, let record = place.record else {
                outside.say(Message("%1$s: systemd starts it when it is used", name))
                continue
            }
            let hosts = record.hosts.map { DisplayText(untrusted: $0) }.joined(separator: ", ")
            switch record.kind {
            case .directory: outside.say(Message(verbatim: "\(name): \(hosts)"))
            case .ssh(let destination):
                outside.say(Message("%1$s: %2$s, by ssh to %3$s", name, hosts, DisplayText(trusted: destination)))
            }
            if let last = record.lastUse {
                outside.say(.indented(Message("Uses: %1$s. Last use: %2$s.", record.uses, LocalTime.text(last))))
            } else {
                outside.say(.indented(Message("Not used since %1$s.", LocalTime.text(record.since))))
            }
            if let end = record.end { outside.say(.indented(Message("Ends at %1$s.", LocalTime.text(end)))) }
        }
        return .done
    }

    // MARK: stop

    private func stop(
        _ name: PlaceName, _ places: any ShareTargets, _ outside: VerbDependencies
    ) throws(UserFacingError) -> ExitStatus {
        let shown = DisplayText(trusted: name.text)
        let wasShared = try places.stop(name)
        let given = places.record(of: name)?.given ?? []
        guard wasShared || (refresh && !given.isEmpty) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" is not shared", shown),
                [Message("see what is:"), .command("git credential-gitspace share list")])
        }
        outside.say(
            wasShared
                ? Message("\"%1$s\" is no longer shared.", shown) : Message("\"%1$s\" was already stopped.", shown))
        guard refresh else {
            if !given.isEmpty {
                outside.say(Message("The tokens that it got stay valid there until they expire. To end them now:"))
                outside.say(.command("git credential-gitspace share stop \(word: name.text) --refresh"))
            }
            return .done
        }
        if given.isEmpty { outside.say(Message("\"%1$s\" got no token.", shown)) }
        let dependencies = outside.dependencies(nil)
        var status = ExitStatus.done
        for account in given where !refresh(account, outside, dependencies) { status = .failed }
        // If one of them was not refreshed, it can be tried again.
        if status == .done { places.forget(name) }
        return status
    }

    private func refresh(
        _ account: ShareRecord.Account, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) -> Bool {
        let lines = Array("protocol=https\nhost=".utf8) + account.host + Array("\nusername=".utf8) + account.username
        guard let request = try? Request(parsing: lines + [0x0a]) else { return true }
        do throws(UserFacingError) {
            guard try Refresh.run(request, outside, dependencies) == .done else { return false }
            outside.say(Message("GitHub and GitLab accept no copy of the old token any more."))
            return true
        } catch {
            dependencies.report(error)
            return false
        }
    }
}
