internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Share

/// The options that `share NAME` and `share ssh` have in common: what is shared, and for how long.
struct ShareOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            Message("A host that may be used there; can be repeated. Default: all hosts you are signed in to."),
            valueName: "host"))
    var host: [String] = []

    @Option(help: ArgumentHelp(Message("The account. Default: the one that git uses.")))
    var username: String?

    @Option(
        help: ArgumentHelp(
            Message(
                "Ask you first: never, once (fetches as well), each (before each push). Default: never, and once for an SSH host."
            ), valueName: "never|once|each"))
    var confirm: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(Message("Stop after this time, such as 30m or 8h."), valueName: "time"))
    var lifetime: String?

    @Option(
        help: ArgumentHelp(
            Message(
                "A repository that may be used there, and no other; can be repeated. Default: all that the account reaches."
            ), valueName: "owner/name"))
    var repository: [String] = []

    @Option(
        help: ArgumentHelp(
            Message(
                "A branch that may be pushed, and no other, such as 'agent/*'; can be repeated. Default: every push."),
            valueName: "pattern"))
    var branch: [String] = []

    @Flag(
        help: ArgumentHelp(
            Message("With --branch: a push may open a pull request, by git push -o merge_request.create.")))
    var pullRequests = false

    @Flag(help: ArgumentHelp(Message("No pushes.")))
    var readOnly = false

    @Flag(
        help: ArgumentHelp(
            Message(
                "Give the token itself away: for an old git, Git LFS and other programs. It cannot be limited to repositories or branches."
            )))
    var token = false

    @Flag(help: ArgumentHelp(Message("With --token: also tokens and passwords that do not expire.")))
    var longLived = false

    func validate() throws {
        func require(_ isMet: Bool, _ text: Message) throws { if !isMet { throw ValidationError(text) } }
        try require(
            token || !longLived, Message("'--long-lived' goes with '--token'; without it, no token is given away."))
        try require(
            !token || repository.isEmpty && branch.isEmpty && !readOnly,
            Message(
                "'--repository', '--branch' and '--read-only' do not go with '--token': a token cannot be limited to them."
            ))
        try require(!readOnly || branch.isEmpty, Message("'--branch' does not go with '--read-only'."))
        try require(
            !pullRequests || !branch.isEmpty,
            Message("'--pull-requests' goes with '--branch': pull requests come from limited branches."))
        try require(repository.isEmpty || host.count < 2, Message("'--repository' goes with one host."))
        try require(confirm == nil || settings.confirmation != nil, Message("'--confirm' takes never, once or each."))
        try require(
            lifetime.map { ShareSettings.lifetime($0) != nil } ?? true,
            Message("'--for' takes minutes, hours or days, such as 30m, 8h or 2d."))
    }

    var settings: ShareSettings {
        var settings = ShareSettings()
        settings.hosts = host
        settings.username = username
        settings.lifetime = lifetime
        settings.confirmation = confirm.flatMap { SharePlan.Confirmation(rawValue: $0) }
        settings.isLongLived = longLived
        settings.repositories = repository
        settings.branches = branch
        settings.opensPullRequests = pullRequests
        settings.givesToken = token ? true : nil
        settings.isReadOnly = readOnly
        return settings
    }
}

struct Share: Verb {
    static let configuration = CommandConfiguration(
        "share",
        Message("Share your sign-in with a container, a virtual machine, an agent or an SSH host, without the token."),
        Message("Nothing has to be installed there, and it needs no network: git inside talks to this command."),
        Message("Prints the lines to paste, and runs until you stop it."),
        Message("See also \"share ssh HOST\", \"share list\" and \"share stop NAME\", each with -h."),
        examples: [
            "share box", "share agent --repository acme/app --branch 'agent/*' --pull-requests --for 8h",
            "share box --read-only --confirm once",
        ])

    @Argument(help: ArgumentHelp(Message("A name of your choice, such as box."), valueName: "name"))
    var word: String

    @OptionGroup var options: ShareOptions

    /// The option of systemd's unit before it creates the socket: writes git's configuration with the socket's path.
    @Flag(help: .hidden)
    var prepare = false

    /// The option of systemd's unit with a socket: only git's configuration decides what is shared.
    @Flag(help: .hidden)
    var serve = false

    /// Seconds without a request after which a share with systemd's socket ends.
    @Option(help: .hidden)
    var idle: UInt32?

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (name, sharing) = (try ShareName(typed: word), outside.sharing)
        guard prepare || serve else {
            return try Self.run(SharePlan(name, .directory, options.settings, with: sharing), sharing)
        }
        let plan = try SharePlan(activated: name, idle: idle.map { Int64($0) * 1_000 }, with: sharing)
        if serve { return try Self.run(plan, sharing) }
        try sharing.shares.prepare(plan)
        return .done
    }

    static func run(_ plan: SharePlan, _ sharing: ShareDependencies) throws(UserFacingError) -> ExitStatus {
        let place = try sharing.shares.open(plan)
        defer { place.close() }
        let session = plan.session(in: place, sharing)
        plan.introduction(to: place, sharing).forEach(sharing.say)
        let end = place.serve(session, until: plan.end)
        session.end()
        // The terminal has shown `^C` on the line.
        if end == .interrupted { sharing.say(.blank) }
        sharing.say(words(end, of: plan))
        return end == .disconnected ? .failed : .done
    }

    private static func words(_ end: ShareEnd, of plan: SharePlan) -> Message {
        let name = plan.name.displayName
        return switch end {
        case .stopped, .interrupted: Message("\"%1$s\" is no longer shared.", name)
        case .elapsed: Message("\"%1$s\" is no longer shared: its time is up.", name)
        case .idle:
            Message(
                "\"%1$s\" was not used for %2$s. systemd starts it again when it is.", name,
                Message.duration((plan.idle ?? 0) / 1_000))
        case .disconnected: Message("\"%1$s\" is no longer shared: ssh has ended.", name)
        }
    }
}

struct ShareSSH: Verb {
    static let configuration = CommandConfiguration(
        "share ssh", Message("Share your sign-in with an SSH host, as long as this command runs."),
        examples: ["share ssh devbox", "share ssh me@devbox --for 8h"], isListed: false)

    @Argument(help: ArgumentHelp(Message("The host as you type it for ssh."), valueName: "host"))
    var destination: String

    @OptionGroup var options: ShareOptions

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (name, sharing) = (ShareName(forDestination: destination), outside.sharing)
        return try Share.run(SharePlan(name, .ssh(destination: destination), options.settings, with: sharing), sharing)
    }
}
