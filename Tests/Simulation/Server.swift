internal import CredentialCore
internal import Providers
internal import TestSupport

/// A host with sign-in.
enum Site: String, CaseIterable {
    case github = "github.com"
    case gitlab = "gitlab.com"

    var name: HostName { HostName(name: rawValue) }
    /// The servers that may receive the host's tokens.
    var servers: [String] { self == .github ? ["github.com", "api.github.com"] : ["gitlab.com"] }
}

struct Account: Hashable {
    let site: Site
    let name: String
}

/// The tokens of one response: an access token, and perhaps a refresh token for one use.
final class Pair {
    let account: Account
    let accessToken: String
    let refreshToken: String?
    /// The access token's expiry, in seconds since 1970; `nil` for never.
    let expiry: Int64?
    /// The pair whose refresh token was exchanged for this one; `nil` after a sign-in.
    let predecessor: Pair?
    weak var successor: Pair?
    /// Whether the refresh token was exchanged or revoked.
    var isSpent = false
    /// Whether the server rejects the access token.
    var isRejected = false

    // The pair's state on this machine.
    var wasSaved = false
    /// Whether it was lost for a permitted reason.
    var isLost = false
    /// Whether it was dropped by a person, by a new sign-in, or after two rejections in a minute.
    var isGivenUp = false

    init(_ number: Int, of account: Account, expiry: Int64?, predecessor: Pair?) {
        self.account = account
        self.expiry = expiry
        self.predecessor = predecessor
        accessToken = "\(account.site == .github ? "ghu" : "glo")_access\(number)"
        refreshToken = expiry == nil ? nil : "\(account.site == .github ? "ghr" : "glr")_refresh\(number)"
    }

    func isAccepted(at now: Int64) -> Bool { !isRejected && (expiry.map { $0 > now } ?? true) }

    /// The newest pair that refreshing this one has led to.
    var last: Pair { successor?.last ?? self }
    func revoke() { (isSpent, isRejected) = (true, true) }
}

/// Both servers; each replaces the pair at a refresh.
final class Server {
    static let lifetime: Int64 = 28_800

    private struct Code {
        let site: Site
        /// The uptime at which the code expires, in milliseconds.
        let end: Int64
        /// The approved account, and the time of the approval; `nil` if the person waits or declines.
        var approval: (account: Account, time: Int64)?
        var declined: Int64?
        var nextPoll: Int64
    }

    private(set) var pairs: [Pair] = []
    private var byToken: [String: Pair] = [:]
    private var codes: [Code] = []
    /// The sites whose access tokens expire.
    var issuesExpiring: Set<Site> = Set(Site.allCases)
    /// Whether a second use of a refresh token revokes all pairs that followed (RFC 9700, 4.14.2).
    var punishesReuse = true
    /// Whether git's servers reject every token while the API accepts it, as an organization with single sign-on does.
    var rejectsAll = false

    func issue(_ account: Account, after predecessor: Pair? = nil, now: Int64, life: Int64 = lifetime) -> Pair {
        let expiry = issuesExpiring.contains(account.site) ? now + life : nil
        let pair = Pair(pairs.count + 1, of: account, expiry: expiry, predecessor: predecessor)
        pairs.append(pair)
        byToken[pair.accessToken] = pair
        if let token = pair.refreshToken { byToken[token] = pair }
        predecessor?.successor = pair
        return pair
    }

    func pair(of token: String) -> Pair? { byToken[token] }
    func accepts(_ token: String, at now: Int64) -> Bool { !rejectsAll && pair(of: token)?.isAccepted(at: now) == true }

    func answer(_ request: HTTPRequest, _ outside: Outside, _ simulation: Simulation) -> HTTPResponse {
        let (address, text) = (request.address, Self.text(request))
        guard let site = Site.allCases.first(where: { $0.servers.contains(address.host) }) else {
            simulation.fail("no token to another host", "a request to \(address.text)")
            return HTTPResponse(status: 404)
        }
        // Tokens begin with "g"; other words need no lookup.
        let presented = text.utf8.split { Self.delimiters.contains($0) }.lazy
            .filter { $0.first == UInt8(ascii: "g") }.compactMap { self.pair(of: String(Substring($0))) }
        // Applies even to tokens that the server would reject.
        if let other = presented.first(where: { $0.account.site != site }) {
            simulation.fail("no token to another host", "a token of \(other.account) to \(address.host)")
        }
        switch address.path {
        case "/login/device/code", "/oauth/authorize_device": return issueCode(site, simulation)
        case "/login/oauth/access_token", "/oauth/token":
            guard let token = text.value(of: "refresh_token", in: "&") else {
                return poll(text.value(of: "device_code", in: "&"), site, outside, simulation)
            }
            return refresh(token, site, outside, simulation)
        case "/user", "/api/v4/user":
            guard case .bearer(let token) = request.authorization, let pair = pair(of: token.text),
                pair.isAccepted(at: simulation.now)
            else { return .json("{}", status: 401) }
            return .json("{\"\(site == .github ? "login" : "username")\":\"\(pair.account.name)\"}")
        case "/credentials/revoke", "/oauth/revoke":
            for pair in presented { pair.last.revoke() }
            return .json("{}", status: site == .github ? 202 : 200)
        default: return .json("{}", status: 404)
        }
    }

    // MARK: Device flow

    private func issueCode(_ site: Site, _ simulation: Simulation) -> HTTPResponse {
        codes.append(Code(site: site, end: simulation.uptime + 900_000, nextPoll: simulation.uptime + 5_000))
        let page = site == .github ? "https://github.com/login/device" : "https://gitlab.com/oauth/device"
        return .json(
            "{\"device_code\":\"device\(codes.count)\",\"user_code\":\"CODE-\(codes.count)\","
                + "\"verification_uri\":\"\(page)\",\"expires_in\":900,\"interval\":5}")
    }

    /// Schedules the person's answer to a user code.
    func person(at userCode: String, approvesAs account: Account?, declines: Bool, at time: Int64) {
        guard let number = Int(userCode.dropFirst("CODE-".count)), codes.indices.contains(number - 1) else { return }
        codes[number - 1].approval = account.map { ($0, time) }
        codes[number - 1].declined = declines ? time : nil
    }

    private func poll(
        _ deviceCode: String?, _ site: Site, _ outside: Outside, _ simulation: Simulation
    ) -> HTTPResponse {
        guard let number = deviceCode.flatMap({ Int($0.dropFirst("device".count)) }),
            codes.indices.contains(number - 1), codes[number - 1].site == site
        else { return Self.error("incorrect_device_code", site) }
        let code = codes[number - 1]
        guard simulation.uptime < code.end else { return Self.error("expired_token", site) }
        guard simulation.uptime >= code.nextPoll else { return Self.error("slow_down", site) }
        codes[number - 1].nextPoll = simulation.uptime + 5_000
        if let time = code.declined, time <= simulation.uptime { return Self.error("access_denied", site) }
        guard let (account, time) = code.approval, time <= simulation.uptime else {
            return Self.error("authorization_pending", site)
        }
        codes[number - 1].approval = nil
        return Self.tokens(outside.received(issue(account, now: simulation.now)))
    }

    // MARK: Refresh

    private func refresh(_ token: String, _ site: Site, _ outside: Outside, _ simulation: Simulation) -> HTTPResponse {
        let spent = site == .github ? "bad_refresh_token" : "invalid_grant"
        guard let pair = pair(of: token), pair.refreshToken == token else { return Self.error(spent, site) }
        simulation.rules.exchanging(pair, outside)
        guard !pair.isSpent else {
            if punishesReuse { pair.last.revoke() }
            return Self.error(spent, site)
        }
        pair.revoke()
        return Self.tokens(outside.received(issue(pair.account, after: pair, now: simulation.now)))
    }

    // MARK: As it is written

    private static func tokens(_ pair: Pair) -> HTTPResponse {
        let rest = pair.refreshToken.map { ",\"expires_in\":\(lifetime),\"refresh_token\":\"\($0)\"" } ?? ""
        return .json("{\"access_token\":\"\(pair.accessToken)\"\(rest),\"token_type\":\"bearer\"}")
    }

    static func error(_ code: String, _ site: Site) -> HTTPResponse {
        .json("{\"error\":\"\(code)\"}", status: site == .github ? 200 : 400)
    }

    private static func text(_ request: HTTPRequest) -> String {
        let body =
            switch request.body {
            case .none, .stream: ""
            case .form(let secret), .json(let secret): secret.text
            }
        let header =
            switch request.authorization {
            case .none: ""
            case .bearer(let token), .token(let token), .basic(_, let token): token.text
            }
        return body + "&" + header
    }

    private static let delimiters = Array("\"&=,".utf8)
}

extension String {
    /// The value of the first part NAME=VALUE with this name, between separators of one byte.
    func value(of name: String, in separator: Unicode.Scalar) -> String? {
        let parts = utf8.split(separator: UInt8(ascii: separator)).lazy.filter { $0.starts(with: name.utf8) }
        let rests = parts.map { $0.dropFirst(name.utf8.count) }
        return rests.first { $0.first == UInt8(ascii: "=") }.map { String(Substring($0.dropFirst())) }
    }
}
