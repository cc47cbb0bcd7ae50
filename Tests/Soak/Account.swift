import StandIn

/// One account on one host, and what the keyring must hold for it: the oracle.
///
/// It follows from what was done and from what the server has issued, never from an answer, except where a program was
/// killed halfway or the keyring with it: then the item itself is read, and must be one of those that could be there.
struct Account: Sendable {
    /// How the account's password comes about, and how long it is good.
    enum Kind: Sendable {
        /// Pairs of an app, the access token good for so many seconds.
        case renewable(lifetime: Double)
        /// Tokens of an app that never end.
        case lasting
        /// Passwords that git stores, on a host where nobody signs in.
        case stored
    }

    /// What an item holds.
    struct Holding: Sendable, Equatable {
        /// Empty: the server has refused the access token, and the refresh token is left.
        var password: String
        /// Seconds since 1970; nil: it does not end.
        var expiry: Int?
        var refreshToken: String?
        /// Whether the item does not tell when the token was issued.
        var hidesLifetime = false
    }

    let host: String
    let login: String
    let kind: Kind
    /// The OAuth client of its host; nil where nobody signs in.
    let app: App?
    /// What is in the keyring; nil: no item.
    var holding: Holding?
    /// When the account was signed in to, in seconds since 1970; nil if that is not known.
    ///
    /// Without a name, the account that was signed in to first answers.
    var since: Int?

    /// When the server last refused an access token, in seconds since 1970.
    var rejectedAt: Int?
    /// What was done to it last.
    var history: [String] = []

    /// Whether a sign-in is possible.
    var signsIn: Bool { app != nil }

    /// How it is named where something is wrong.
    var name: String { "\(login)@\(host)" }

    /// Remembers what was done, for the message if that turns out to be wrong.
    mutating func note(_ event: String) { history = history.suffix(7) + [event] }

    /// What is certain about a token over a stretch of time; nil where it changes within, or a clock may round.
    private func certain(over span: ClosedRange<Int>, after margin: Int) -> Bool? {
        guard let holding, !holding.password.isEmpty else { return false }
        guard let expiry = holding.expiry else { return true }
        if expiry - margin > span.upperBound + Self.tolerance { return true }
        if expiry - margin < span.lowerBound - Self.tolerance { return false }
        return nil
    }

    /// Whether it can be given to git without asking anybody; nil: either may be right.
    func isFresh(over span: ClosedRange<Int>) -> Bool? { certain(over: span, after: margin) }

    /// Seconds for which a token must be good yet: five minutes, but never more than a quarter of its lifetime.
    private var margin: Int {
        guard holding?.hidesLifetime == false, let lifetime else { return 300 }
        return min(300, lifetime / 4)
    }

    /// Seconds from a token's issue to its end; nil where it does not end.
    var lifetime: Int? {
        guard case .renewable(let lifetime) = kind else { return nil }
        return Int(lifetime)
    }

    /// Whether git could still use it; nil: either may be right.
    func isAlive(over span: ClosedRange<Int>) -> Bool? { certain(over: span, after: 0) }

    /// Whether no store of another password may change it: a grant that is live or renewable.
    func isGrant(over span: ClosedRange<Int>) -> Bool {
        signsIn && (holding?.refreshToken != nil || isAlive(over: span) == true)
    }

    /// Seconds by which a token's end may be rounded, here, by the server and by the program.
    private static let tolerance = 3
}

extension Account.Holding {
    /// What a sign-in or a renewal leaves, by a clock that is wrong by `jump` seconds.
    init(_ token: IssuedToken, jump: Int = 0) {
        password = token.accessToken
        expiry = token.accessExpiry.map { Int($0) + jump }
        refreshToken = token.refreshToken
    }

    /// Reads the text of an item's secret: the password, then `NAME=VALUE` lines.
    init(secret: String) {
        let lines = secret.split(separator: "\n", omittingEmptySubsequences: false)
        func value(_ name: String) -> String? {
            lines.dropFirst().first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        password = lines.first.map(String.init) ?? ""
        expiry = value("password_expiry_utc").flatMap { Int($0) }
        refreshToken = value("oauth_refresh_token")
        hidesLifetime = value("gitspace_issued") == nil
    }

    /// What a message says of it: the beginnings of the tokens tell them apart.
    var outline: String {
        let end = expiry.map { ", until \($0)" } ?? ""
        return "password \(password.prefix(12))\(end), refresh token \(refreshToken?.prefix(12) ?? "none")"
    }

    /// Whether an item holds the same tokens, and ends at the same time but for rounding and the time of an answer.
    func matches(_ other: Account.Holding, within seconds: Int = 60) -> Bool {
        guard password == other.password, refreshToken == other.refreshToken else { return false }
        guard !password.isEmpty, let expiry, let otherExpiry = other.expiry else { return true }
        return abs(expiry - otherExpiry) <= seconds
    }
}
