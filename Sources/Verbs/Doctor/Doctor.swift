internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Providers

/// The verb `doctor`: checks everything that a sign-in needs, and prints what to do about faults.
///
/// It changes nothing, except for a test item in an unlocked keyring. Each request and the whole run have a time limit.
struct Doctor: Verb {
    static let configuration = CommandConfiguration(
        "doctor", Message("Find problems with your setup."),
        Message("Checks the keyring, git and its helpers, the client ID, the network, the clock and your accounts."),
        Message("Each problem is followed by the command that fixes it."),
        Message("Changes nothing, except that it writes a test item to the keyring and deletes it again."),
        Message("Exits with 1 if it finds a problem."),
        examples: ["doctor", "doctor git.example.com", "doctor --verbose"])

    @Argument(help: ArgumentHelp(Message("The only host to look at. Default: all where you can sign in.")))
    var host: String?

    @Flag(help: ArgumentHelp(Message("Print a JSON array for programs.")))
    var json = false

    @Flag(help: ArgumentHelp(Message("Also show what is fine and needs no attention.")))
    var verbose = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        var only: HostName?
        if let host {
            let (request, dependencies) = try outside.request(host, for: "doctor")
            only = try ContextResolver(with: dependencies).signInContext(of: request, withoutClient: true).host.name
        }
        var found: [Diagnosis] = []
        let status = Self.examine(only, afterSetup: false, with: outside.dependencies(only), outside) {
            found.append($0)
        }
        guard !json else {
            if status != .cancelled || !found.isEmpty { outside.print(JSONText.array(found.map(\.json))) }
            return status
        }
        let shown = found.filter { verbose || !$0.isUnasked }
        for result in [Diagnosis.Result.fail, .warn, .ok, .skip] {
            for diagnosis in shown where diagnosis.result == result { outside.say(diagnosis.lines) }
        }
        guard status != .cancelled else {
            outside.say([.blank, Message("Stopped before everything was checked.")])
            return status
        }
        let count = { (result: Diagnosis.Result) in shown.count { $0.result == result } }
        let (problems, warnings) = (count(.fail), count(.warn))
        outside.say(.blank)
        outside.say(
            problems + warnings == 0
                ? Message("No problems found. Checks passed: %1$s.", count(.ok))
                : Message("Problems: %1$s. Warnings: %2$s. Checks passed: %3$s.", problems, warnings, count(.ok)))
        return status
    }

    /// Checks everything, and reports nothing more after Ctrl-C.
    ///
    /// `host` is the only one to check, or `nil` for all. `afterSetup` is true if git and the client ID have just been
    /// used, and so are not tried again. The keyring of the inspections, which never prompts, replaces the usual one.
    ///
    /// - Returns: whether there is a fault, or Ctrl-C was pressed.
    static func examine(
        _ host: HostName?, afterSetup: Bool, with dependencies: Dependencies, _ outside: VerbDependencies,
        _ tell: (Diagnosis) -> Void
    ) -> ExitStatus {
        let inspections = outside.inspections(host)
        var dependencies = dependencies
        dependencies.keyring = inspections.keyring
        dependencies.transport = { inspections.transport($0) }
        var hasFailed = false
        examineAll(host, afterSetup, dependencies, inspections, outside) { diagnosis in
            guard !outside.isInterrupted() else { return }
            if diagnosis.result == .fail { hasFailed = true }
            tell(diagnosis)
        }
        if outside.isInterrupted() { return .cancelled }
        return hasFailed ? .failed : .done
    }

    /// Milliseconds after which no further host is checked.
    private static let patience: Int64 = 40_000
    private static let mostHosts = 8

    private static func examineAll(
        _ host: HostName?, _ afterSetup: Bool, _ dependencies: Dependencies, _ inspections: any Inspections,
        _ outside: VerbDependencies, _ tell: (Diagnosis) -> Void
    ) {
        let end = dependencies.clock.uptimeMilliseconds + patience
        let machine = MachineExamination(dependencies: dependencies, inspections: inspections)
        machine.diagnoses.forEach(tell)
        let git = GitExamination(inspections: inspections)
        let hosts: [SignInContext]
        do {
            hosts = try self.hosts(host, dependencies)
            if !afterSetup { tell(git.version(nil)) }
        } catch {
            tell(git.version(error))
            // Everything else depends on the configuration: the keyring, the hosts and the network settings.
            let lines = git.lines
            let isAmongThem = if case .unknownValue = error { lines.contains { $0.result == .fail } } else { false }
            if !isAmongThem { tell(Diagnosis(.configuration, .fail, error.words)) }
            return lines.forEach(tell)
        }
        git.lines.forEach(tell)
        let entries = inspections.gitConfiguration
        let others = OtherCredentials(lines: entries ?? [], outside: outside, dependencies: dependencies)
        if entries == nil {
            tell(GitExamination.unlisted)
        } else {
            for host in hosts { others.helpers(for: host.host) { inspections.program($0) != nil }.forEach(tell) }
        }
        for host in hosts { others.all(for: host.host.name).forEach(tell) }
        machine.programs(configuredAs: others.ownValues(for: hosts.map(\.host))).forEach(tell)
        let store = machine.examineKeyring(tell)
        var withStore = dependencies
        if case .memory = store { withStore.keyring = inspections.memory }
        var isSignedIn: [(host: SignInHost, answer: Bool)] = []
        for host in hosts.prefix(mostHosts) where !outside.isInterrupted() {
            let examination = HostExamination(
                context: host, dependencies: withStore, store: store, transport: withStore.transport(host.transport),
                triesClient: !afterSetup, end: end)
            if let answer = examination.examine(tell) { isSignedIn.append((host.host, answer)) }
        }
        let leftOut = hosts.dropFirst(mostHosts).map(\.host.displayName)
        if !leftOut.isEmpty {
            let names = leftOut.joined(separator: ", ")
            let text = Message("did not check %1$s: no more than %2$s hosts are checked", names, mostHosts)
            tell(Diagnosis(.network, .skip, text))
        }
        git.proactive(isSignedIn.filter { !afterSetup || !$0.answer }).forEach(tell)
    }

    private static func hosts(
        _ host: HostName?, _ dependencies: Dependencies
    ) throws(ConfigurationError) -> [SignInContext] {
        let resolver = ContextResolver(with: dependencies)
        if let host { return try resolver.signInContext(of: host, withoutClient: true).map { [$0] } ?? [] }
        var hosts = try resolver.signInHosts
        // A token that a person has created needs no client ID, but a line that makes git ask us.
        let named = try dependencies.configuration().compactMap { $0.subsection.flatMap(HTTPSAddress.init(parsing:)) }
        for known in BuiltInHost.allCases.map(\.name) where SignInHost(tokenHost: known) != nil {
            guard named.contains(where: { HostName(name: $0.host, port: $0.port) == known }),
                let other = try resolver.signInContext(of: known, withoutClient: true),
                !hosts.contains(where: { $0.host == other.host })
            else { continue }
            hosts.append(other)
        }
        return hosts
    }
}

struct Diagnosis: Equatable {
    /// The subject of the check, as programs read it.
    enum Check: String {
        case user, interaction, locks, git, configuration, program, helpers, bus, provider, collection, share, landlock
        case app, network, proxy, certificate, clock, issuer, account
        case roundTrip = "round_trip"
        case clientID = "client_id"
    }

    enum Result: String {
        case ok, fail, warn, skip
    }

    /// The findings that `setup` treats differently.
    enum Code {
        case noClientID
        case noKeyring
        /// git asks for another account than those that are signed in.
        case otherAccount
    }

    let check: Check
    var result: Result
    let text: Message
    let hints: [Message]
    let code: Code?
    /// The account of the finding, and its state; `nil` for other findings.
    var username: DisplayText?
    var state: Account.State?

    init(_ check: Check, _ result: Result, _ text: Message, _ hints: [Message] = [], code: Code? = nil) {
        self.check = check
        self.result = result
        self.text = text
        self.hints = hints
        self.code = code
    }

    init(_ check: Check, _ result: Result, _ error: UserFacingError, code: Code? = nil) {
        self.init(check, result, error.text, error.hints, code: code)
    }

    var lines: [Message] {
        let mark: DisplayText =
            switch result {
            // A finding that is good, but could be better.
            case .ok where !hints.isEmpty: "[NOTE]"
            case .ok: "[ OK ]"
            case .fail: "[FAIL]"
            case .warn: "[WARN]"
            case .skip: "[SKIP]"
            }
        // The blanks are as wide as a mark.
        return [.marked(mark, text)] + hints.map { .marked("      ", $0) }
    }

    /// Whether the finding is good and only printed with `--verbose`.
    fileprivate var isUnasked: Bool {
        guard result == .ok, hints.isEmpty else { return false }
        return switch check {
        case .locks, .landlock, .bus, .provider, .issuer, .clientID: true
        default: false
        }
    }

    fileprivate var json: String {
        JSONText.object([
            ("check", JSONText.string(check)), ("result", JSONText.string(result)),
            ("username", username.map { JSONText.string($0) }), ("state", state.map { JSONText.string($0) }),
            ("text", JSONText.string(text)), ("hints", JSONText.list(hints)),
        ])
    }
}
