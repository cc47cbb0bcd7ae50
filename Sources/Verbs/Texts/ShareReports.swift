internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension ShareCommand.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .share(let report): report.lines
        case .list(let report): report.lines
        case .stop(let report): report.lines
        }
    }

    package var failure: ErrorText? {
        if case .stop(.notRefreshed(let error)) = self { ErrorText(error) } else { nil }
    }
}

extension Share.Report {
    fileprivate var lines: [Message] {
        switch self {
        case .listening(let place, let directory, let confinesContainers):
            Self.beginning(place)
                + Self.ways(ShareLines(place, directory: directory, confinesContainers: confinesContainers))
        case .connected(let place, let destination, let directory):
            Self.beginning(place) + [Message("For git on %1$s, run this there once:", destination)]
                + ShareLines(place, directory: directory, mountPoint: DisplayText(own: directory)).inside
                .map { .command($0) } + Self.stop
        case .activated(let place): Self.beginning(place)
        case .event(let event): [event.line]
        case .ended(let end, let name): [end.line(name)]
        }
    }

    private static func beginning(_ place: SharedPlace) -> [Message] {
        [
            Message(
                "Sharing your sign-in to %1$s as \"%2$s\".",
                place.hosts.map { DisplayText($0.name) }.joined(separator: ", "),
                DisplayText(own: place.name.text)),
            place.isLongLived
                ? Message("Whoever controls that place gets your token and can keep it, even if it does not expire.")
                : Message("Whoever controls that place gets your token and can use it until it expires."),
            place.confirmation.line,
        ]
    }

    private static func ways(_ lines: ShareLines) -> [Message] {
        [
            Message("For podman, replace IMAGE:"), .command(lines.podman), Message("For docker, replace IMAGE:"),
            .command(lines.docker), Message("For a dev container, in your project's folder:"),
        ] + lines.devcontainer.map { .command($0) } + [
            Message("For an SSH host, instead of this command:"), .command("git credential-gitspace share ssh HOST"),
        ] + stop
    }

    private static let stop = [Message("To stop, press Ctrl-C.")]
}

extension SharedPlace.Confirmation {
    /// When the person is asked.
    fileprivate var line: Message {
        switch self {
        case .never: Message("You are not asked when it is used.")
        case .once: Message("You are asked once, until you lock the screen, and again after 8 hours.")
        case .each: Message("You are asked each time it is used.")
        }
    }
}

extension ShareEvent {
    /// The line of the log.
    var line: Message {
        switch self {
        case .given(let host, let username, let peer):
            Message(
                "%1$s: gave the token of %2$s to process %3$s (user %4$s)", host, username, Int(peer.process),
                Int(peer.user))
        case .refused(let why, let host, let peer):
            Message(
                "%1$s: refused process %2$s (user %3$s): %4$s", host, Int(peer.process), Int(peer.user),
                why.text)
        case .replaced(let host, let username):
            Message("%1$s: refreshed the token of %2$s, because the server rejects it", host, username)
        }
    }
}

extension ShareRefusal {
    /// Why, for the log.
    var text: Message {
        switch self {
        case .otherAccount: Message("it asked for another account")
        case .notSignedIn: Message("no account is signed in")
        case .doesNotExpire: Message("the token does not expire; --long-lived allows it")
        case .notAPassword: Message("git inside could not send this kind of token")
        case .expired: Message("the token has expired and could not be refreshed")
        case .denied: Message("you denied it")
        case .unanswered: Message("you did not answer")
        case .silenced: Message("you denied it or did not answer less than 10 minutes ago")
        case .locked: Message("the screen is locked")
        case .nobodyToAsk: Message("there is no notification service to ask you")
        case .keyring(let error): error.words.text
        case .configuration: Message("git's configuration cannot be read")
        }
    }
}

extension ShareEnd {
    fileprivate func line(_ name: PlaceName) -> Message {
        let place = DisplayText(own: name.text)
        return switch self {
        case .stopped: Message("\"%1$s\" is no longer shared.", place)
        case .elapsed: Message("\"%1$s\" is no longer shared: its time is up.", place)
        case .idle: Message("\"%1$s\" was not used for 10 minutes. systemd starts it again when it is.", place)
        case .disconnected: Message("\"%1$s\" is no longer shared: ssh has ended.", place)
        }
    }
}

extension ShareList.Report {
    fileprivate var lines: [Message] {
        places.isEmpty ? [Message("Nothing is shared.")] : places.flatMap(\.lines)
    }
}

extension FoundPlace {
    fileprivate var lines: [Message] {
        let name = DisplayText(own: name.text)
        guard isRunning, let record else {
            return [Message("%1$s: systemd starts it when it is used", name)]
        }
        let hosts = record.hosts.map { DisplayText($0) }.joined(separator: ", ")
        var lines: [Message]
        switch record.kind {
        case .directory: lines = [Message(verbatim: "\(name): \(hosts)")]
        case .ssh(let destination):
            lines = [Message("%1$s: %2$s, by ssh to %3$s", name, hosts, DisplayText(own: destination))]
        }
        if let last = record.lastUse {
            lines.append(.indented(Message("Uses: %1$s. Last use: %2$s.", record.uses, LocalTime.text(last))))
        } else {
            lines.append(.indented(Message("Not used since %1$s.", LocalTime.text(record.since))))
        }
        if let end = record.end { lines.append(.indented(Message("Ends at %1$s.", LocalTime.text(end)))) }
        return lines
    }
}

extension ShareStop.Report {
    fileprivate var lines: [Message] {
        switch self {
        case .stopped(let name, let given):
            let ended = Message("\"%1$s\" is no longer shared.", DisplayText(own: name.text))
            guard !given.isEmpty else { return [ended] }
            return [
                ended, Message("The tokens that it got stay valid there until they expire. To end them now:"),
                .command("git credential-gitspace share stop \(word: name.text) --refresh"),
            ]
        case .wasNotShared(let name): return [Message("\"%1$s\" was already stopped.", DisplayText(own: name.text))]
        case .refreshed(let report):
            return report.lines + [Message("GitHub and GitLab accept no copy of the old token any more.")]
        case .nothingGiven(let name): return [Message("\"%1$s\" got no token.", DisplayText(own: name.text))]
        case .notRefreshed: return []
        }
    }
}
