internal import ArgumentParser
internal import Language
internal import Messages
internal import Share

/// What may be had, and for how long: the options that `share NAME` and `share ssh` have in common.
struct ShareOptions: ParsableArguments {
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
            Message("Ask before giving a token: never, once, each. Default: never, and once for an SSH host."),
            valueName: "never|once|each"))
    var confirm: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(Message("Stop after this time, such as 30m or 8h."), valueName: "time"))
    var lifetime: String?

    @Flag(help: ArgumentHelp(Message("Also share tokens and passwords that do not expire.")))
    var longLived = false

    @Option(
        help: ArgumentHelp(
            Message(
                "Share a token for this repository only, revoked when the share ends (needs a GitHub App)."),
            valueName: "owner/name"))
    var repository: String?

    @Flag(help: ArgumentHelp(Message("With --repository: a token that cannot push.")))
    var readOnly = false

    func validate() throws {
        guard repository != nil || !readOnly else {
            throw ValidationError(Message("'--read-only' goes with '--repository'."))
        }
        guard repository == nil || host.count < 2 else {
            throw ValidationError(Message("'--repository' goes with one host."))
        }
        guard confirm == nil || settings.confirmation != nil else {
            throw ValidationError(Message("'--confirm' takes never, once or each."))
        }
        guard lifetime == nil || milliseconds != nil else {
            throw ValidationError(Message("'--for' takes minutes, hours or days, such as 30m, 8h or 2d."))
        }
    }

    var milliseconds: Int64? { lifetime.flatMap { ShareSettings.lifetime($0) } }

    var settings: ShareSettings {
        var settings = ShareSettings()
        settings.hosts = host
        settings.username = username
        settings.confirmation = confirm.flatMap { ShareTarget.Confirmation(rawValue: $0) }
        settings.isLongLived = longLived
        settings.repository = repository
        settings.isReadOnly = readOnly
        return settings
    }
}

/// The verb `share NAME`.
struct Share: Verb {
    static let configuration = CommandConfiguration(
        "share",
        Message("Share your sign-in with a container, a virtual machine or an SSH host."),
        Message("Nothing has to be installed there: git's own credential-cache is the client."),
        Message("Prints the lines to paste, and runs until you stop it."),
        Message("See also \"share ssh HOST\", \"share list\" and \"share stop NAME\", each with -h."),
        Message("A token that was given away stays valid there until it expires, unless you refresh it."),
        examples: [
            "share box", "share box --for 8h --confirm once", "share agent --repository acme/app --read-only",
        ])

    @Argument(help: ArgumentHelp(Message("A name of your choice, such as box."), valueName: "name"))
    var word: String

    @OptionGroup var options: ShareOptions

    /// systemd has created the socket, and only git's configuration decides what may be shared.
    @Flag(help: .hidden)
    var serve = false

    /// Seconds without a request after which it ends, if systemd has created the socket.
    @Option(help: .hidden)
    var idle: UInt32?

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let name = try ShareName(typed: word)
        let start = ShareStart(outside.sharing)
        if serve { return ExitStatus(try start.run(activated: name, idle: idle.map { Int64($0) * 1_000 })) }
        return ExitStatus(try start.run(name, .directory, options.settings, lifetime: options.milliseconds))
    }
}

/// The verb `share ssh HOST`.
struct ShareSSH: Verb {
    static let configuration = CommandConfiguration(
        "share ssh", Message("Share your sign-in with an SSH host, as long as this command runs."),
        examples: ["share ssh devbox", "share ssh me@devbox --for 8h"], isListed: false)

    @Argument(help: ArgumentHelp(Message("The host as you type it for ssh."), valueName: "host"))
    var destination: String

    @OptionGroup var options: ShareOptions

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        ExitStatus(
            try ShareStart(outside.sharing).run(
                ShareName(forDestination: destination), .ssh(destination: destination), options.settings,
                lifetime: options.milliseconds))
    }
}

extension ExitStatus {
    fileprivate init(_ end: ShareEnd?) {
        self =
            switch end {
            case .stopped, .elapsed, .idle: .done
            case .disconnected: .failed
            case nil: .cancelled
            }
    }
}
