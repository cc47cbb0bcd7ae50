import Staging

/// One account on one host, and the expected content of its keyring item: the oracle.
///
/// The expectation follows from the steps taken and the tokens issued, never from an answer. Only after a program or
/// the keyring was killed is the item read, and it must be one of the possible ones.
struct Account: Sendable {
    /// The source of the account's password, and its lifetime.
    enum Kind: Sendable {
        /// An app's token pairs; the access token is valid for this many seconds.
        case renewable(lifetime: Double)
        /// An app's tokens, which never expire.
        case lasting
        /// Passwords that git stores, on a host without sign-in.
        case stored
    }

    /// The expected content of an item.
    struct Holding: Sendable, Equatable {
        /// The access token or password; empty if the server refused it and the refresh token is left.
        var password: String
        /// The expiry in seconds since 1970; `nil` for none.
        var expiry: Int?
        var refreshToken: String?
        /// Whether the item lacks the time of issue.
        var hidesLifetime = false
    }

    let host: String
    let login: String
    let kind: Kind
    /// The host's OAuth client; `nil` without sign-in.
    let app: App?
    /// The item in the keyring; `nil` for none.
    var holding: Holding?
    /// The time of the first sign-in, in seconds since 1970; `nil` if unknown.
    ///
    /// A request without a name is answered by the account that signed in first.
    var since: Int?

    /// The time of the last refused access token, in seconds since 1970.
    var rejectedAt: Int?
    /// The last steps taken.
    var history: [String] = []

    var signsIn: Bool { app != nil }

    /// The account's name in messages.
    var name: String { "\(login)@\(host)" }

    /// Records a step, for the message if something is wrong later.
    mutating func note(_ event: String) { history = history.suffix(7) + [event] }

    /// Whether the token is valid throughout a time span; `nil` if that changes within it, or clocks may round.
    private func certain(over span: ClosedRange<Int>, after margin: Int) -> Bool? {
        guard let holding, !holding.password.isEmpty else { return false }
        guard let expiry = holding.expiry else { return true }
        if expiry - margin > span.upperBound + Self.tolerance { return true }
        if expiry - margin < span.lowerBound - Self.tolerance { return false }
        return nil
    }

    /// Whether git can get the token without a renewal; `nil` if both answers are right.
    func isFresh(over span: ClosedRange<Int>) -> Bool? { certain(over: span, after: margin) }

    /// For how many seconds a fresh token must still be valid: five minutes, but at most a quarter of its lifetime.
    private var margin: Int {
        guard holding?.hidesLifetime == false, let lifetime else { return 300 }
        return min(300, lifetime / 4)
    }

    /// The token's lifetime in seconds; `nil` if it never expires.
    var lifetime: Int? {
        guard case .renewable(let lifetime) = kind else { return nil }
        return Int(lifetime)
    }

    /// Whether git could still use the token; `nil` if both answers are right.
    func isAlive(over span: ClosedRange<Int>) -> Bool? { certain(over: span, after: 0) }

    /// Whether the item must survive a store of another password: a valid or renewable grant.
    func isGrant(over span: ClosedRange<Int>) -> Bool {
        signsIn && (holding?.refreshToken != nil || isAlive(over: span) == true)
    }

    /// Tolerance for a token's expiry in seconds, which the test, the server and the program round.
    private static let tolerance = 3
}

extension Account.Holding {
    /// The item after a sign-in or a renewal, by a clock that is `jump` seconds ahead.
    init(_ token: IssuedToken, jump: Int = 0) {
        password = token.accessToken
        expiry = token.accessExpiry.map { Int($0) + jump }
        refreshToken = token.refreshToken
    }

    /// Parses an item's secret: the password, then `NAME=VALUE` lines.
    init(secret: String) {
        let item = KeyringItem(label: "", attributes: [:], secret: secret)
        password = item.password
        expiry = item["password_expiry_utc"].flatMap { Int($0) }
        refreshToken = item["oauth_refresh_token"]
        hidesLifetime = item["gitspace_issued"] == nil
    }

    /// A short form for messages, with the beginnings of the tokens.
    var outline: String {
        let end = expiry.map { ", until \($0)" } ?? ""
        return "password \(password.prefix(12))\(end), refresh token \(refreshToken?.prefix(12) ?? "none")"
    }

    /// Whether two items have the same tokens, and the same expiry except for rounding and the time of an answer.
    func matches(_ other: Account.Holding, within seconds: Int = 60) -> Bool {
        guard password == other.password, refreshToken == other.refreshToken else { return false }
        guard !password.isEmpty, let expiry, let otherExpiry = other.expiry else { return true }
        return abs(expiry - otherExpiry) <= seconds
    }
}
