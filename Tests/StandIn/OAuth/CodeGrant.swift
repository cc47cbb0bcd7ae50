import CStandIn
import FoundationEssentials

/// One sign-in by authorization code (RFC 6749, 4.1), from the browser's request to its token.
struct CodeGrant {
    let code: String
    let clientID: String
    let redirectURI: String
    /// RFC 7636, by S256.
    let challenge: String
    let scopes: [String]
    let login: String
    /// Seconds since 1970.
    let expiresAt: Double
    /// It has been answered with a token, or used wrongly.
    var isSpent = false

    /// Whether a token request belongs to it: RFC 6749, 4.1.3, and RFC 7636, 4.6.
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

/// What a browser gets at the authorization endpoint.
enum AuthorizationReply {
    /// Back to the client, with a code or an error.
    case redirect(String)
    /// Nothing can go back to a client that is unknown, or to an address that it has not registered.
    case refused(String)
    /// The page of consent, for somebody to press a button.
    case question
}

extension AuthorizationServer {
    /// Answers a browser (RFC 6749, 4.1.1): `login` and `action=deny` in the query are what the page of consent adds, and
    /// without them the outcome decides that was set beforehand.
    mutating func authorize(_ query: [String: String], now: Double) -> AuthorizationReply {
        guard let app = query["client_id"].flatMap({ apps[$0] }) else { return .refused("Client ID not registered") }
        guard let redirectURI = query["redirect_uri"], Self.isRegistered(redirectURI, for: app) else {
            return .refused("Unregistered Redirect URI")
        }
        func back(_ fields: (name: String, value: String)...) -> AuthorizationReply {
            let all = fields + (query["state"].map { [(name: "state", value: $0)] } ?? [])
            return .redirect(
                redirectURI + "?" + all.map { "\($0.name)=\(FormCoding.escape($0.value))" }.joined(separator: "&"))
        }
        guard query["response_type"] == "code" else { return back((name: "error", value: "unsupported_response_type")) }
        guard let challenge = query["code_challenge"], query["code_challenge_method"] == "S256" else {
            return back((name: "error", value: "invalid_request"))
        }
        let lifetime: Double
        let login: String
        switch decision(in: query) {
        case .undecided: return .question
        case .denied: return back((name: "error", value: "access_denied"))
        case .approved(let name): (login, lifetime) = (name, app.codeLifetime)
        case .expired: (login, lifetime) = ("monalisa", 0)
        }
        let grant = CodeGrant(
            code: RandomText.token("", length: 43), clientID: app.clientID, redirectURI: redirectURI,
            challenge: challenge, scopes: (query["scope"] ?? "").split(separator: " ").map(String.init), login: login,
            expiresAt: now + lifetime)
        codeGrants.append(grant)
        issuedSecrets.append(grant.code)
        return back((name: "code", value: grant.code))
    }

    private mutating func decision(in query: [String: String]) -> SignInOutcome.Decision {
        if query["action"] == "deny" { return .denied }
        return query["login"].map { .approved(login: $0) } ?? takeOutcome().decision
    }

    /// RFC 8252, 7.3: any port.
    private static func isRegistered(_ address: String, for app: App) -> Bool {
        let beginning = ["http://127.0.0.1", "http://[::1]", "http://localhost"].first { address.hasPrefix($0 + ":") }
        guard let beginning else { return false }
        let path = address.dropFirst(beginning.count + 1).drop { $0.isNumber }
        return app.redirectURI.map { $0 == beginning + path } ?? true
    }

    /// Answers a request for a token (RFC 6749, 4.1.3): a code is good for one, and a second use ends what the first has
    /// brought (4.1.2).
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
    /// `GET` of the authorization endpoint, and the page of consent, whose buttons ask for the same address again.
    func answerAuthorization(_ request: Request) -> Answer {
        let (now, query) = (clock(), request.query)
        switch withState({ $0.server.authorize(query, now: now) }) {
        case .redirect(let address): return Answer(status: 302, headers: [Header("Location", address)])
        case .refused(let reason): return .html("<h1>\(reason)</h1>", status: 400)
        case .question:
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
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
