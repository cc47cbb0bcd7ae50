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
                triesClient: !afterSetup, words: machine.words, end: end)
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

/// Checks git itself: its version, and the settings in its configuration.
private final class GitExamination {
    private let inspections: any Inspections
    private lazy var release = inspections.gitVersion.flatMap(GitRelease.init)

    init(inspections: any Inspections) { self.inspections = inspections }

    /// Attributes of gitcredentials(7), with the minor version of git 2 that introduced them (git's release notes).
    private static let features: [(name: DisplayText, minor: Int64)] = [
        ("password_expiry_utc", 40), ("oauth_refresh_token", 41), ("state[]", 46),
    ]

    /// None of the missing features is essential; `fault` is the error of reading git's configuration.
    func version(_ fault: ConfigurationError?) -> Diagnosis {
        guard let release else {
            guard fault == nil || fault == .noGit else {
                return Diagnosis(.git, .skip, Message("did not check git's version"))
            }
            return Diagnosis(
                .git, .fail, Message("git did not report its version"),
                [Message("install it, or put it on the PATH:"), .command("sudo apt install git")])
        }
        let missing = Self.features.filter { !release.knows(minor: $0.minor) }
        let names = missing.map { "\($0.name) (2.\($0.minor))" as DisplayText }.joined(separator: ", ")
        return Diagnosis(
            .git, .ok,
            missing.isEmpty
                ? Message("git %1$s supports everything gitspace can tell it", release.shown)
                : Message("git %1$s works; newer versions also use: %2$s", release.shown, names))
    }

    /// Checks `http.proactiveAuth`: one finding for all hosts, and one for each host without a sign-in.
    ///
    /// `isSignedIn` has the hosts whose answer is known.
    func proactive(_ isSignedIn: [(host: SignInHost, answer: Bool)]) -> [Diagnosis] {
        guard let entries = inspections.gitConfiguration else { return [] }
        let isOn = { (host: SignInHost) in entries.sendTokenAtOnce(to: host.name) }
        let isOfInterest = isSignedIn.contains { $0.answer || isOn($0.host) }
        guard isOfInterest, let release, release.knowsProactiveAuthentication else { return [] }
        let forNobody = isSignedIn.filter { !$0.answer && isOn($0.host) }.map { host, _ in
            Diagnosis(
                .git, .warn,
                Message(
                    "git is set up to send a token with every request to %1$s, but you are not signed in",
                    host.displayName), [Message("sign in:"), .login(host.displayName)])
        }
        let signedIn = isSignedIn.filter(\.answer).map(\.host)
        guard !signedIn.isEmpty else { return forNobody }
        let off = signedIn.filter { !isOn($0) }
        let hosts = (off.isEmpty ? signedIn : off).map(\.displayName).joined(separator: ", ")
        return forNobody + [
            off.isEmpty
                ? Diagnosis(.git, .ok, Message("git sends your token with its first request to %1$s", hosts))
                : Diagnosis(
                    .git, .ok,
                    Message(
                        "every fetch from %1$s takes an extra request, because git first tries without your token",
                        hosts), [Message("to avoid it:"), .command("git credential-gitspace configure --proactive")])
        ]
    }

    static var unlisted: Diagnosis {
        Diagnosis(
            .helpers, .fail, Message("git could not list its configuration"),
            [Message("see git's error message:"), .command("git config --list --show-origin")])
    }

    /// The findings about the person's lines: unknown values, misspelt keys, settings for a single host without a host.
    var lines: [Diagnosis] {
        let own = (inspections.gitConfiguration ?? []).filter { $0.isInPersonsFile && $0.entry.section == "credential" }
        return own.compactMap(Self.diagnosis).unique
    }

    private static func diagnosis(_ line: OriginatedEntry) -> Diagnosis? {
        let (name, file) = (DisplayText(untrusted: line.entry.name.utf8), DisplayText(untrusted: line.origin.utf8))
        func diagnosis(_ result: Diagnosis.Result, _ text: Message, _ hint: Message) -> Diagnosis {
            Diagnosis(.configuration, result, text, [hint, .command("git config --file \(word: file) --edit")])
        }
        guard let key = SettingKey.allCases.first(where: { $0.lowercased == line.entry.key }) else {
            guard let meant = meant(by: line.entry.key) else { return nil }
            return diagnosis(
                .warn, Message("gitspace has no setting %1$s (in %2$s)", name, file),
                Message("did you mean %1$s?", DisplayText(trusted: meant)))
        }
        let value = line.entry.effectiveValue
        if !key.accepts(value), !mayBeOthers(key, value) {
            let values = key.values?.joined(separator: ", ")
            return diagnosis(
                key.restricts ? .fail : .warn,
                Message("unknown value for %1$s in %2$s: %3$s", name, file, DisplayText(untrusted: value.utf8)),
                values.map { Message("use one of these, or remove the line: %1$s", DisplayText(trusted: $0)) }
                    ?? Message("use an https URL, or a path on the host:"))
        }
        let pattern = line.entry.subsection.flatMap { URLPattern($0) }
        guard key.isForHost, pattern?.hasConcreteHost != true, !value.isEmpty,
            key != .provider || ProviderID(setting: value.lowercased()) != nil
        else { return nil }
        return diagnosis(
            .warn, Message("%1$s in %2$s is ignored: this setting must be set for a single host", name, file),
            Message("move it to the section of that host, [credential \"https://HOST\"]:"))
    }

    /// Git Credential Manager has the key too, so only a value that resembles one of ours is misspelt.
    private static func mayBeOthers(_ key: SettingKey, _ value: String) -> Bool {
        key == .provider && EditDistance.nearest(to: value.lowercased(), of: key.values ?? []) == nil
    }

    /// `nil` for a key of git or of another program.
    private static func meant(by key: String) -> String? {
        guard !["helper", "username", "oauthredirecturi"].contains(key) else { return nil }
        let nearest = EditDistance.nearest(to: key, of: SettingKey.allCases.map(\.lowercased))
        return SettingKey.allCases.first { $0.lowercased == nearest }?.rawValue
    }
}
