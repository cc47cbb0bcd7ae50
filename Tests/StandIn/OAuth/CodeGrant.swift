import CStandIn
import FoundationEssentials

/// One sign-in by authorization code (RFC 6749, 4.1), from the browser's request to the token.
struct CodeGrant {
    let code: String
    let clientID: String
    let redirectURI: String
    /// The code challenge (RFC 7636), method S256.
    let challenge: String
    let scopes: [String]
    let login: String
    /// The time of expiry, in seconds since 1970.
    let expiresAt: Double
    /// Whether the code was exchanged, or used wrongly.
    var isSpent = false

    /// Whether a token request matches this grant (RFC 6749, 4.1.3; RFC 7636, 4.6).
    func isAnswered(by form: [String: String], now: Double) -> Bool {
        !isSpent && now < expiresAt && form["redirect_uri"] == redirectURI
            && form["code_verifier"].map(Self.challenge) == challenge
    }

    private static func challenge(_ verifier: String) -> String {
        let text = Array(verifier.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(text, text.count, &digest, nil, EVP_sha256(), nil) == 1 else { return "" }
        let base64 = Data(digest).base64EncodedString().filter { $0 != "=" }
        return String(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}

extension AuthorizationServer {
    /// Answers a browser (RFC 6749, 4.1.1): redirects it to the client with a code or an error, or shows an error if
    /// nothing may be sent there; `nil` asks for the page of consent.
    ///
    /// The page of consent adds `login` and perhaps `action=deny` to the query; without them the prepared outcome
    /// decides.
    mutating func authorize(_ query: [String: String], now: Double) -> Answer? {
        func refused(_ reason: String) -> Answer { .html("<h1>\(reason)</h1>", status: 400) }
        guard let app = query["client_id"].flatMap({ apps[$0] }) else { return refused("Client ID not registered") }
        guard let redirectURI = query["redirect_uri"], Self.isRegistered(redirectURI, for: app) else {
            return refused("Unregistered Redirect URI")
        }
        func back(_ name: String, _ value: String) -> Answer {
            let all = [(name, value)] + (query["state"].map { [("state", $0)] } ?? [])
            let fields = all.map { "\($0)=\(FormCoding.escape($1))" }.joined(separator: "&")
            return Answer(status: 302, headers: [Header("Location", redirectURI + "?" + fields)])
        }
        guard query["response_type"] == "code" else { return back("error", "unsupported_response_type") }
        guard let challenge = query["code_challenge"], query["code_challenge_method"] == "S256" else {
            return back("error", "invalid_request")
        }
        let login: String
        switch decision(in: query) {
        case .waitForPerson: return nil
        case .deny: return back("error", "access_denied")
        case .approve(let name): login = name
        }
        let grant = CodeGrant(
            code: RandomText.token("", length: 43), clientID: app.clientID, redirectURI: redirectURI,
            challenge: challenge, scopes: (query["scope"] ?? "").split(separator: " ").map(String.init), login: login,
            expiresAt: now + app.codeLifetime)
        codeGrants.append(grant)
        issuedSecrets.append(grant.code)
        return back("code", grant.code)
    }

    private mutating func decision(in query: [String: String]) -> SignInOutcome {
        query["action"] == "deny" ? .deny : query["login"].map { .approve(as: $0) } ?? takeOutcome()
    }

    /// Compares a redirect with the registered one, at any port (RFC 8252, 7.3).
    private static func isRegistered(_ address: String, for app: App) -> Bool {
        let beginning = ["http://127.0.0.1", "http://[::1]", "http://localhost"].first { address.hasPrefix($0 + ":") }
        guard let beginning else { return false }
        let path = address.dropFirst(beginning.count + 1).drop { $0.isNumber }
        return app.redirectURI.map { $0 == beginning + path } ?? true
    }

    /// Answers a token request (RFC 6749, 4.1.3).
    ///
    /// A code is valid once; a second use revokes the tokens of the first (4.1.2).
    mutating func exchange(_ form: [String: String], now: Double) -> OAuthReply {
        guard let app = form["client_id"].flatMap({ apps[$0] }), form["client_secret"] == nil else {
            return service.reply(.incorrectClient)
        }
        let position = codeGrants.firstIndex { $0.code == form["code"] && $0.clientID == app.clientID }
        guard let position else { return service.reply(.incorrectCode) }
        let grant = codeGrants[position]
        codeGrants[position].isSpent = true
        guard grant.isAnswered(by: form, now: now) else {
            if let token = grantedTokens[grant.code] { revokePair(of: token, clientID: app.clientID) }
            return service.reply(.incorrectCode)
        }
        completedSignIns += 1
        let token = issue(for: grant.login, app: app, scopes: grant.scopes, now: now)
        grantedTokens[grant.code] = token.accessToken
        return service.reply(token, lifetime: app.lifetime, now: now)
    }
}

extension Forge {
    /// Answers `GET` at the authorization endpoint, or shows the page of consent, whose buttons request the same
    /// address again.
    func answerAuthorization(_ request: Request) -> Answer {
        let (now, query) = (clock(), request.query)
        if let answer = withState({ $0.server.authorize(query, now: now) }) { return answer }
        let fields = query.sorted { $0.key < $1.key }.map {
            "<input type=\"hidden\" name=\"\(Self.escaped($0.key))\" value=\"\(Self.escaped($0.value))\">"
        }
        return .html(
            """
            <h1>Authorize the application?</h1>
            <form method="get" action="\(request.path)">
            \(fields.joined(separator: "\n"))
            <input name="login" value="monalisa"> <button id="authorize">Authorize</button>
            <button id="deny" name="action" value="deny">Cancel</button>
            </form>
            """)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
