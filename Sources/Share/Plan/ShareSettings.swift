internal import CredentialCore
internal import Helper

/// The settings for a target, typed or configured.
///
/// Targets that are shared at login have theirs in the person's own git configuration, as `gitspace-share.NAME.host`
/// and the like: `git config --global` locks it, and lines of a repository do not count (`isTrusted`).
package struct ShareSettings: Equatable {
    /// The hosts; empty for all with a sign-in.
    package var hosts: [String] = []
    /// The account, or `nil` for git's default.
    package var username: String?
    /// The choice of questions, or `nil` for the default of the kind of target.
    package var confirmation: SharePlan.Confirmation?
    /// The time as typed, such as `8h`, or `nil` until the share is stopped; never configured.
    package var lifetime: String?
    package var isLongLived = false
    /// The only repositories that the target may reach, as typed.
    package var repositories: [String] = []
    package var isReadOnly = false
    /// The branches that may be pushed, as in a refspec; empty for all.
    package var branches: [String] = []
    package var opensPullRequests = false
    /// Whether the target gets the token itself; `nil` for the configured choice, which defaults to a gateway.
    package var givesToken: Bool?
    package init() {}
    static let section = "gitspace-share"

    /// Returns `nil` if the target has no settings.
    ///
    /// - Throws: an error for an invalid value, so that nothing is shared.
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
                confirmation = SharePlan.Confirmation(rawValue: value.lowercased())
                guard confirmation != nil else { throw Self.malformed(entry) }
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

    func overridden(by typed: ShareSettings) -> ShareSettings {
        var settings = self
        settings.givesToken = typed.givesToken ?? givesToken
        // A typed host removes no limit.
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

    /// The options for account and time, each after a blank.
    var manner: DisplayText {
        [("username", username), ("for", lifetime)].compactMap { name, value -> DisplayText? in
            value.map { " --\(DisplayText(trusted: name)) \(word: DisplayText(trusted: $0))" }
        }.joined(separator: "")
    }

    private static func malformed(_ entry: ConfigurationEntry) -> UserFacingError {
        let key = DisplayText(untrusted: entry.name.utf8)
        return UserFacingError(
            .share,
            Message(
                "invalid setting in git's configuration: %1$s = %2$s; nothing is shared", key,
                DisplayText(untrusted: entry.effectiveValue.utf8)), Message("see where it is set:"),
            .command("git config --show-origin --get-all \(word: key)"))
    }

    /// Reads a boolean (git-config(1), "VALUES").
    private static func boolean(_ entry: ConfigurationEntry) throws(UserFacingError) -> Bool {
        switch entry.effectiveValue.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0", "": false
        default: throw malformed(entry)
        }
    }

    /// The milliseconds of a time such as `8h`, or `nil` for any other text.
    package static func lifetime(_ text: String) -> Int64? {
        let factors: [Character: Int64] = ["m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let factor = text.last.flatMap({ factors[$0] }), let number = DecimalNumber.parse(text.dropLast().utf8),
            (1...1_000).contains(number)
        else { return nil }
        return number * factor
    }
}
