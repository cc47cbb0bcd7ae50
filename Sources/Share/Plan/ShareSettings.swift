internal import CredentialCore
internal import Helper

/// The settings for a target, as a person has typed or configured it.
///
/// The settings of a target that is shared at login are in the person's own file of git's configuration:
/// `gitspace-share.NAME.host` and the keys beside it. There they already configure whom git asks for passwords,
/// `git config --global` writes it under a lock, and a repository's own lines do not count (`isTrusted`); a separate
/// file would need all of that again.
package struct ShareSettings: Equatable {
    /// The hosts; empty for those where somebody is signed in.
    package var hosts: [String] = []
    /// The account; nil for the one that git uses by default.
    package var username: String?
    /// When the person is asked; nil for what is usual for the kind of target.
    package var confirmation: SharePlan.Confirmation?
    /// As it was typed, such as `8h`; nil until it is stopped, and never configured.
    package var lifetime: String?
    /// Whether the target may have tokens that do not expire.
    package var isLongLived = false
    /// The only ones that the target may reach, as they were typed.
    package var repositories: [String] = []
    package var isReadOnly = false
    /// Those that may be pushed, as in a refspec; empty for all.
    package var branches: [String] = []
    /// Whether a push may ask for a pull request.
    package var opensPullRequests = false
    /// The target gets the token itself, not a gateway; nil for what is configured, and that for a gateway.
    package var givesToken: Bool?

    package init() {}

    /// The section of git's configuration.
    static let section = "gitspace-share"

    /// What is configured for a target; nil if nothing is.
    ///
    /// - Throws: for an invalid value: what is not understood shares nothing.
    init?(_ name: ShareName, in entries: [ConfigurationEntry]) throws(UserFacingError) {
        let own = entries.filter { $0.section == Self.section && $0.subsection == name.text }
        guard !own.isEmpty else { return nil }
        for entry in own {
            let value = entry.effectiveValue
            switch entry.key {
            // As in git's own lists, an empty value clears what was set before.
            case "host": hosts = value.isEmpty ? [] : hosts + [value]
            case "username": username = value.isEmpty ? nil : value
            case "confirm":
                guard let known = SharePlan.Confirmation(rawValue: value) else { throw Self.malformed(entry) }
                confirmation = known
            case "longlived": isLongLived = try Self.boolean(entry)
            case "repository": repositories = value.isEmpty ? [] : repositories + [value]
            case "branch": branches = value.isEmpty ? [] : branches + [value]
            case "pullrequests": opensPullRequests = try Self.boolean(entry)
            case "readonly": isReadOnly = try Self.boolean(entry)
            case "token": givesToken = try Self.boolean(entry)
            default: throw Self.malformed(entry)
            }
        }
    }

    /// The same, overridden by what was typed.
    func overridden(by typed: ShareSettings) -> ShareSettings {
        var settings = self
        settings.givesToken = typed.givesToken ?? givesToken
        // A host that is typed takes no limit away.
        if !typed.hosts.isEmpty || !typed.repositories.isEmpty { settings.hosts = typed.hosts }
        if !typed.repositories.isEmpty { settings.repositories = typed.repositories }
        settings.isReadOnly = typed.isReadOnly || isReadOnly
        if !typed.branches.isEmpty { settings.branches = typed.branches }
        settings.opensPullRequests = typed.opensPullRequests || opensPullRequests
        settings.username = typed.username ?? username
        settings.confirmation = typed.confirmation ?? confirmation
        settings.lifetime = typed.lifetime
        settings.isLongLived = typed.isLongLived || isLongLived
        return settings
    }

    /// The options that say as whom, how long and with which questions, behind a blank.
    var manner: DisplayText {
        let options: [DisplayText?] = [
            username.map { " --username \(word: DisplayText(untrusted: $0.utf8))" },
            confirmation.map { " --confirm \(DisplayText(trusted: $0.rawValue))" },
            lifetime.map { " --for \(word: DisplayText(untrusted: $0.utf8))" },
        ]
        return options.compactMap(\.self).joined(separator: "")
    }

    private static func malformed(_ entry: ConfigurationEntry) -> UserFacingError {
        let key = DisplayText(untrusted: entry.name.utf8)
        return UserFacingError(
            .share,
            Message(
                "invalid setting in git's configuration: %1$s = %2$s; nothing is shared", key,
                DisplayText(untrusted: entry.effectiveValue.utf8)),
            [Message("see where it is set:"), .command("git config --show-origin --get-all \(word: key)")])
    }

    /// git-config(1), "VALUES".
    private static func boolean(_ entry: ConfigurationEntry) throws(UserFacingError) -> Bool {
        switch entry.effectiveValue.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0", "": false
        default: throw malformed(entry)
        }
    }

    /// A time such as `8h`, in milliseconds; nil for anything else.
    package static func lifetime(_ text: String) -> Int64? {
        let factors: [Character: Int64] = ["m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let factor = text.last.flatMap({ factors[$0] }), let number = DecimalNumber.parse(text.dropLast().utf8),
            (1...1_000).contains(number)
        else { return nil }
        return number * factor
    }
}
