/// The device flow, the code flow and refreshing as a service implements them, without network or clock.
struct AuthorizationServer {
    let service: Service
    var apps: [String: App] = [:]
    /// The apps that act in their own name, by their IDs.
    var installedApps: [String: InstalledApp] = [:]
    var nextOutcomes: [SignInOutcome] = []
    var usualOutcome = SignInOutcome.waitForPerson
    var grants: [DeviceGrant] = []
    var codeGrants: [CodeGrant] = []
    /// The access token that each exchanged authorization code has brought.
    var grantedTokens: [String: String] = [:]
    var tokens: [IssuedToken] = []
    /// The codes of both flows, access tokens and refresh tokens, in the order of their issue.
    var issuedSecrets: [String] = []
    var refreshTokenReuses = 0
    /// How many codes were exchanged for a token.
    var completedSignIns = 0

    /// Answers a request for a device code (RFC 8628, 3.1).
    mutating func deviceCode(_ form: [String: String], host: String, now: Double) -> OAuthReply {
        guard let app = form["client_id"].flatMap({ apps[$0] }) else { return service.reply(.unknownClient) }
        guard app.allowsDeviceFlow else { return service.reply(.deviceFlowDisabled) }
        let scopes = (form["scope"] ?? "").split(separator: " ").map(String.init)
        let userCode = RandomText.userCode()
        let grant = DeviceGrant(
            deviceCode: RandomText.hexadecimal(40),
            userCode: service == .gitHub ? userCode : userCode.replacing("-", with: ""), clientID: app.clientID,
            scopes: scopes, expiresAt: now + app.codeLifetime, outcome: takeOutcome(), interval: app.interval)
        grants.append(grant)
        issuedSecrets.append(grant.deviceCode)
        let page = "https://\(host)\(service.verificationPath)"
        var fields: Fields = [
            "device_code": .text(grant.deviceCode), "user_code": .text(grant.userCode), "verification_uri": .text(page),
        ]
        if service == .gitLab { fields.append("verification_uri_complete", "\(page)?user_code=\(grant.userCode)") }
        fields.append("expires_in", .number(app.codeLifetime))
        fields.append("interval", .number(app.interval))
        return OAuthReply(fields: fields)
    }

    /// Removes and returns the outcome of the sign-in that starts now.
    mutating func takeOutcome() -> SignInOutcome { nextOutcomes.isEmpty ? usualOutcome : nextOutcomes.removeFirst() }

    /// Answers a poll (RFC 8628, 3.4); as at GitHub, the rate is checked before the grant.
    mutating func poll(_ form: [String: String], now: Double) -> OAuthReply {
        guard let app = form["client_id"].flatMap({ apps[$0] }) else { return service.reply(.incorrectClient) }
        guard app.allowsDeviceFlow else { return service.reply(.deviceFlowDisabled) }
        let position = grants.firstIndex { grant in
            grant.deviceCode == form["device_code"] && grant.clientID == app.clientID && !grant.isSpent
        }
        guard let position else { return service.reply(.incorrectDeviceCode) }
        if grants[position].isTooEarly(at: now) { return service.reply(.slowDown(interval: grants[position].interval)) }
        if now >= grants[position].expiresAt { return service.reply(.expired) }
        switch grants[position].outcome {
        case .waitForPerson: return service.reply(.pending)
        case .approve(let login):
            grants[position].isSpent = true
            completedSignIns += 1
            var issuing = app
            let scopes = grants[position].scopes.filter { $0 != "offline_access" }
            if scopes != grants[position].scopes { issuing.lifetime = app.lifetime ?? app.shortLived }
            let token = issue(for: login, app: issuing, scopes: scopes, now: now)
            return service.reply(token, lifetime: issuing.lifetime, now: now)
        case .deny:
            grants[position].isSpent = true
            return service.reply(.denied)
        }
    }

    /// Answers a refresh (RFC 6749, 6): both tokens are replaced, and the old ones are invalid at once.
    mutating func refresh(_ form: [String: String], now: Double) -> OAuthReply {
        // No app here has a secret, so none may be sent.
        guard var app = form["client_id"].flatMap({ apps[$0] }), form["client_secret"] == nil else {
            return service.reply(.incorrectClient)
        }
        app.lifetime = app.lifetime ?? app.shortLived
        let position = tokens.firstIndex { token in
            token.refreshToken != nil && token.refreshToken == form["refresh_token"] && token.clientID == app.clientID
        }
        guard let position else { return service.reply(.badRefreshToken) }
        if tokens[position].isRefreshSpent { refreshTokenReuses += 1 }
        guard tokens[position].isRefreshLive(at: now) else { return service.reply(.badRefreshToken) }
        tokens[position].isRefreshSpent = true
        tokens[position].isAccessRevoked = true
        let old = tokens[position]
        let token = issue(for: old.login, app: app, scopes: old.scopes, now: now)
        return service.reply(token, lifetime: app.lifetime, now: now)
    }

    /// Issues a token for a person and an app, and records it.
    mutating func issue(for login: String, app: App, scopes: [String], now: Double) -> IssuedToken {
        let token = IssuedToken(
            accessToken: app.newAccessToken(at: service), refreshToken: app.lifetime.map { _ in app.newRefreshToken() },
            clientID: app.clientID, login: login, scopes: app.kind == .gitHubApp ? [] : scopes,
            accessExpiry: app.lifetime.map { now + $0.access }, refreshExpiry: app.lifetime.map { now + $0.refresh })
        tokens.append(token)
        issuedSecrets += [token.accessToken] + [token.refreshToken].compactMap(\.self)
        return token
    }

    /// The access token's record if it is valid at `now`.
    func liveToken(_ accessToken: String, now: Double) -> IssuedToken? {
        tokens.first { $0.accessToken == accessToken && $0.isAccessLive(at: now) }
    }

    /// Records a person's decision about a user code, which ignores case.
    mutating func decide(userCode: String, _ decision: SignInOutcome, now: Double) -> Bool {
        let position = grants.firstIndex { grant in
            grant.userCode == userCode.uppercased() && !grant.isSpent && now < grant.expiresAt
        }
        guard let position else { return false }
        grants[position].outcome = decision
        return true
    }

    /// Revokes an access or refresh token; an unknown one is ignored.
    mutating func revoke(_ secret: String) {
        for position in tokens.indices {
            if tokens[position].accessToken == secret { tokens[position].isAccessRevoked = true }
            if tokens[position].refreshToken == secret { tokens[position].isRefreshRevoked = true }
        }
    }

    /// Revokes a token of an app together with its pair: Doorkeeper keeps both in one record.
    mutating func revokePair(of secret: String, clientID: String) {
        for token in tokens
        where token.clientID == clientID && [token.accessToken, token.refreshToken].contains(secret) {
            revoke(token.accessToken)
            token.refreshToken.map { revoke($0) }
        }
    }
}

/// One sign-in by device flow (RFC 8628), from the device code to the token.
struct DeviceGrant {
    let deviceCode: String
    let userCode: String
    let clientID: String
    let scopes: [String]
    /// The time of expiry, in seconds since 1970.
    let expiresAt: Double
    /// The prepared outcome, until the person decides in the form.
    var outcome: SignInOutcome
    /// The least time between two polls, in seconds; grows with every `slow_down`.
    var interval: Double
    /// The time of the last poll, in seconds since 1970, whatever the answer was.
    var lastPoll: Double?
    /// Whether the code was exchanged or refused.
    var isSpent = false

    /// Notes a poll at `now`, and returns whether it came too early.
    ///
    /// As at GitHub, the rate is checked first, and an early poll restarts the interval.
    mutating func isTooEarly(at now: Double) -> Bool {
        defer { lastPoll = now }
        // A microsecond of tolerance, for rounding of clocks with fractions.
        guard let lastPoll, now - lastPoll < interval - 1e-6 else { return false }
        // `slow_down` adds five seconds (RFC 8628, 3.5).
        interval += 5
        return true
    }
}

/// The result of a sign-in, decided in advance, so that the test need not play the person.
package enum SignInOutcome: Sendable {
    /// The sign-in waits until somebody sends the form at `/login/device`, or calls `enter`.
    case waitForPerson
    case approve(as: String)
    case deny
}
