import Staging
import StandIn

/// One account on one host, and the expected content of its keyring item: the oracle.
///
/// The expectation follows from the steps taken and the tokens issued, never from an answer. Only after a program or
/// the keyring was killed is the item read, and it must be one of the possible ones.
struct Account: Sendable {
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
    /// The host's OAuth client; `nil` without sign-in, where git stores passwords.
    let app: App?
    /// The item in the keyring; `nil` for none.
    var holding: Holding? {
        didSet {
            if let old = oldValue?.password, !old.isEmpty, old != holding?.password { formerPassword = old }
        }
    }
    private(set) var formerPassword: String?
    /// The time of the first sign-in, in seconds since 1970; `nil` if unknown.
    ///
    /// A request without a name is answered by the account that signed in first.
    var since: Int?
    /// The time of the last refused access token, in seconds since 1970.
    var rejectedAt: Int?
    var history: [String] = []
    var signsIn: Bool { app != nil }
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
    var lifetime: Int? { app?.lifetime.map { Int($0.access) } }

    /// Whether git could still use the token; `nil` if both answers are right.
    func isAlive(over span: ClosedRange<Int>) -> Bool? { certain(over: span, after: 0) }

    /// Whether the item must survive a store of another password: a valid or renewable grant.
    func isGrant(over span: ClosedRange<Int>) -> Bool {
        signsIn && (holding?.refreshToken != nil || isAlive(over: span) == true)
    }

    /// Tolerance for a token's expiry in seconds, which the test, the server and the program round.
    private static let tolerance = 3

    /// Judges an answer, and updates the account to what the item must be now.
    mutating func judge(_ answer: GivenAnswer, _ circumstances: Circumstances) -> String? {
        guard answer.isWellFormed else { return "half an answer" }
        guard answer.password == nil || answer.username == login else {
            return "\(login)'s, and not \(answer.username ?? "nobody")'s"
        }
        let isStored = answer.password != nil && answer.password == holding?.password
        switch isFresh(over: circumstances.span) {
        case true?: return isStored && circumstances.issued.isEmpty ? nil : "the stored token, without a renewal"
        case nil where isStored && circumstances.issued.isEmpty: return nil
        default: return judgeStale(answer, circumstances)
        }
    }

    /// Judges an answer whose token had to be renewed.
    private mutating func judgeStale(_ answer: GivenAnswer, _ circumstances: Circumstances) -> String? {
        let issued = circumstances.issued
        guard let holding, holding.refreshToken != nil else {
            return issued.isEmpty ? judgeUnrenewed(answer, circumstances) : "no new token"
        }
        switch effect(of: circumstances) {
        case .renewed:
            guard let token = issued.first, issued.count == 1, answer.password == token.accessToken else {
                return "one new token, and that in the answer"
            }
            return take(token, until: answer.expiry, circumstances)
        case .kept: return issued.isEmpty ? judgeUnrenewed(answer, circumstances) : "no new token"
        case .spent: return issued.count == 1 ? judgeUnrenewed(answer, circumstances) : "a token that nobody hears of"
        case .refused:
            let complaint = issued.isEmpty ? judgeUnrenewed(answer, circumstances) : "no new token"
            self.holding?.refreshToken = nil
            return complaint
        }
    }

    /// Updates the account after a renewal; checks that the token's expiry is the server's lifetime after the answer.
    private mutating func take(_ token: IssuedToken, until expiry: Int?, _ circumstances: Circumstances) -> String? {
        holding = Holding(token, jump: circumstances.jump)
        guard let usual = holding?.expiry else { return expiry == nil ? nil : "a token without an end" }
        holding?.expiry = expiry
        let length = circumstances.span.upperBound - circumstances.span.lowerBound
        let isRight = expiry.map { (usual - 2...usual + length + 2).contains($0) } ?? false
        return isRight ? nil : "an end in \(length) seconds from \(usual) on"
    }

    /// The effect of a renewal at a server whose answer to an earlier one may be lost.
    private func effect(of circumstances: Circumstances) -> Trouble.Effect {
        let effect = circumstances.trouble?.effect ?? .renewed
        guard !circumstances.takesRefreshToken else { return effect }
        return switch effect {
        case .renewed, .refused: .refused
        case .kept, .spent: .kept
        }
    }

    /// Judges an answer after a failed renewal: the old token while it is valid, then nothing.
    private func judgeUnrenewed(_ answer: GivenAnswer, _ circumstances: Circumstances) -> String? {
        let isStored = answer.password != nil && answer.password == holding?.password
        return switch isAlive(over: circumstances.span) {
        case true?: isStored ? nil : "the stored token, which still lives"
        case false?: answer.password == nil ? nil : "no password"
        case nil: isStored || answer.password == nil ? nil : "the stored token or none"
        }
    }
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

/// The output of a `get`.
struct GivenAnswer {
    let username: String?
    let password: String?
    /// The expiry in seconds since 1970; `nil` for none, or without a password.
    let expiry: Int?
    /// Whether git's protocol allows the output: nothing, `quit=1`, or a whole credential.
    let isWellFormed: Bool

    /// Parses the output line by line, as git does.
    init(_ output: String) {
        var values: [String: String] = [:]
        for line in output.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            values[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        username = values["username"]
        password = values["password"]
        expiry = values["password_expiry_utc"].flatMap { Int($0) }
        let isCredential = username != nil && password?.isEmpty == false
        isWellFormed = output.isEmpty || output == "quit=1\n" || isCredential
    }
}

/// The conditions of a `get` that determine the right answer.
struct Circumstances {
    /// The start and end of the program's run, in seconds since 1970 by the program's clock.
    let span: ClosedRange<Int>
    /// How many seconds the program's clock was ahead.
    var jump = 0
    var trouble: Trouble?
    var takesRefreshToken = false
    /// The tokens that the server has issued to the account since the start.
    let issued: [IssuedToken]
}
