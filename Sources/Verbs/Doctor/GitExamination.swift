internal import CredentialCore
internal import Helper

final class GitExamination {
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
