package import CredentialCore

/// A client (RFC 6749, section 2).
package struct OAuthClient {
    package var id: String
    package var authentication: ClientAuthentication
    /// The scopes separated by spaces.
    package var scopes: String
    package var server: OAuthServer

    package init(id: String, authentication: ClientAuthentication = .none, scopes: String? = nil, server: OAuthServer) {
        self.id = id
        self.authentication = authentication
        self.scopes = scopes ?? server.scopes
        self.server = server
    }

    /// Exchanges a grant once: a refresh token that is sent twice looks stolen.
    package func exchange(
        _ grant: AuthorizationGrant, over transport: any Transport
    ) throws(OAuthFailure) -> TokenResponse {
        var form = form
        var deadline: Int64?
        let stage: OAuthStage
        switch grant {
        case .code(let code, let request):
            stage = .code
            form.add("grant_type", "authorization_code".utf8)
            form.add("code", code)
            form.add("redirect_uri", request.redirectURI.utf8)
            form.add("code_verifier", request.verifier)
        case .deviceCode(let code, let end):
            (stage, deadline) = (.deviceCode, end)
            form.add("device_code", code)
            form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code".utf8)
        case .refreshToken(let token):
            stage = .refresh
            form.add("grant_type", "refresh_token".utf8)
            form.add("refresh_token", token)
        }
        let fields = try answer(to: form, at: server.token, stage, deadline: deadline, over: transport)
        guard let token = TokenResponse(fields, server) else { throw OAuthFailure(reason: .malformed, status: 200) }
        return token
    }

    /// A form with the client's ID: some servers require it with any authentication, and without it glewlwyd binds the
    /// tokens to no client.
    var form: FormBuilder {
        var form = FormBuilder()
        form.add("client_id", id.utf8)
        return form
    }

    /// The JSON answer to a form.
    ///
    /// The body counts before the status: GitHub sends errors with status 200, others with 400 or 401. An error
    /// together with a token is an error; redirects are not followed.
    func answer(
        to form: consuming FormBuilder, at endpoint: HTTPSAddress, _ stage: OAuthStage, deadline: Int64? = nil,
        over transport: any Transport
    ) throws(OAuthFailure) -> JSONValue {
        let form = form.finish()
        func send(_ method: SecretMethod) throws(OAuthFailure) -> HTTPResponse {
            // A refresh must not be interrupted: its response may be the only copy of a new pair.
            try rethrowing(
                as: { (error: TransportError) in OAuthFailure(reason: .transport(error)) },
                try transport.send(
                    request(to: endpoint, form, method, isInterruptible: stage != .refresh, deadline: deadline)))
        }
        var response = try send(server.secretMethods.first ?? .basic)
        // Servers authenticate the client before they look at the grant, so nothing is spent.
        if case .secret = authentication, server.secretMethods.count > 1,
            response.fields?.text("error").map(server.code) == .invalidClient
        {
            response = try send(server.secretMethods[1])
        }
        return try answer(in: response, stage)
    }

    /// Makes a request for one use, since a server must not see an assertion twice; the deadline is in milliseconds of
    /// uptime.
    ///
    /// - Throws: `.misconfigured(.signature)`.
    private func request(
        to endpoint: HTTPSAddress, _ fields: Secret, _ method: SecretMethod, isInterruptible: Bool, deadline: Int64?
    ) throws(TransportError) -> HTTPRequest {
        var form = FormBuilder(continuing: fields)
        var authorization = HTTPRequest.Authorization.none
        switch authentication {
        case .none: break
        case .secret(let secret) where method == .body: form.add("client_secret", secret)
        case .secret(let secret):
            // ID and secret are form-encoded first (RFC 6749, 2.3.1).
            let name = FormBuilder.encoded(Secret(Array(id.utf8)))
            authorization = .basic(
                username: name.reveal { String(decoding: $0, as: UTF8.self) }, password: FormBuilder.encoded(secret))
        // The audience is the issuer, as Keycloak, Zitadel and the draft that amends RFC 7523 require, so that no server
        // can use the assertion at another. Some servers, such as glewlwyd, accept only the endpoint. A second attempt
        // with another audience is impossible, since the first may have used up a refresh token.
        case .assertion(let signer, let keyID, let audience, let now):
            let claims = AssertionClaims.clientAuthentication(
                clientID: id, audience: audience ?? endpoint.text, now: now())
            guard let assertion = signer.assertion(of: claims, keyID: keyID) else { throw .misconfigured(.signature) }
            form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer".utf8)
            form.add("client_assertion", assertion)
        }
        return HTTPRequest(
            .post, endpoint, body: .form(form.finish()), authorization: authorization, isInterruptible: isInterruptible,
            deadline: deadline)
    }

    private func answer(in response: HTTPResponse, _ stage: OAuthStage) throws(OAuthFailure) -> JSONValue {
        let status = response.status
        func failure(_ reason: OAuthFailure.Reason, _ words: DisplayText? = nil) -> OAuthFailure {
            OAuthFailure(reason: reason, status: status, retryAfter: response.retryAfter, words: words)
        }
        let isOverloaded = status == 429 || status >= 500
        let isRedirect = (300..<400).contains(status)
        let fields = isRedirect ? nil : response.fields
        if let fields, fields["error"] != nil {
            let code = server.code(fields.text("error") ?? [])
            let description = fields.text("error_description")
            switch code {
            case .other where isOverloaded: throw failure(.unavailable, code.name.with(description: description))
            case .slowDown where stage == .deviceCode || stage == .deviceAuthorization:
                throw OAuthFailure(
                    reason: .refused(code, .malformedAnswer), status: status,
                    retryAfter: response.retryAfter ?? fields.seconds("interval").map { max($0, 0) })
            case .slowDown: throw failure(.malformed)
            case .authorizationPending where stage != .deviceCode: throw failure(.malformed)
            default: throw failure(.refused(code, meaning(of: code, at: stage, described: description)))
            }
        }
        // The body may be empty (RFC 7009, 2.2), even with the type of a page.
        if stage == .revocation, status == 200, response.body.isEmpty { return .null }
        // RFC 6749, 5.2, does not use 403, but rate limits do, and HTML pages come from proxies: neither is a decision
        // about the request.
        if isOverloaded || status == 403 || fields == nil && !isRedirect && response.isPage {
            throw failure(.unavailable)
        }
        // One provider sends this for a revoked refresh token.
        if stage == .refresh, status == 400, response.body.isEmpty {
            throw failure(.refused(.invalidGrant, .invalidGrant))
        }
        guard status == 200, let fields else { throw failure(.malformed) }
        return fields
    }
}

/// The authentication of a client (RFC 6749, section 2.3).
package enum ClientAuthentication {
    case none
    case secret(Secret)
    /// An assertion, `private_key_jwt`, with the key ID (`kid`) at the server.
    ///
    /// The audience is that of every request, or `nil` for the requested endpoint; the time is in seconds since 1970.
    case assertion(any AssertionSigner, keyID: String?, audience: String? = nil, now: () -> Int64)

    package var isPresent: Bool { if case .none = self { false } else { true } }
}

/// The place of a client's secret in a request, named as in metadata (RFC 8414, 2).
///
/// Servers must accept HTTP Basic; the body is discouraged (RFC 6749, 2.3.1).
package enum SecretMethod: String, CaseIterable {
    case basic = "client_secret_basic"
    case body = "client_secret_post"
}

/// ④ ⑤ A grant that a client exchanges for a token (RFC 6749, 1.3).
package enum AuthorizationGrant {
    /// A code (RFC 6749, 4.1.3; RFC 7636, 4.5), sent to the server of its request.
    case code(Secret, of: AuthorizationRequest)
    /// A device code (RFC 8628, 3.4); the deadline is in milliseconds of uptime.
    case deviceCode(Secret, deadline: Int64)
    /// A refresh token (RFC 6749, 6), used up when it is sent.
    case refreshToken(Secret)
}

/// The stage at which a server refuses; the meaning of an error depends on it.
package enum OAuthStage {
    case page
    case deviceAuthorization
    case code
    case deviceCode
    case refresh
    case revocation
}

/// The reason why a request to a server failed.
package struct OAuthFailure: Error, Equatable {
    package enum Reason: Equatable {
        case transport(TransportError)
        /// The server's error code, and its meaning at this stage.
        case refused(OAuthErrorCode, SignInError)
        /// The server has not decided about the request.
        case unavailable
        /// OAuth does not define the response.
        case malformed
    }

    package let reason: Reason
    /// The HTTP status, or 0 if there was no response.
    package var status = 0
    /// Seconds after which the server allows the next request, or `nil` if unknown.
    package var retryAfter: Int64?
    /// The server's own words, if an OAuth error came with a fault of the server.
    package var words: DisplayText?

    package var signInError: SignInError {
        switch reason {
        case .transport(.interrupted): .cancelled
        case .transport(.tooLarge), .malformed: .malformedAnswer
        case .transport(let error): .transport(error)
        case .refused(_, let meaning): meaning
        case .unavailable: .unavailable(status: status, saying: words)
        }
    }

    /// Whether the same request may succeed a moment later.
    package var isTransient: Bool {
        switch reason {
        case .unavailable, .transport(.unreachable), .transport(.proxy), .transport(.timedOut), .transport(.malformed):
            true
        // An answer that is too large is the server's, and no network fault.
        case .refused, .malformed, .transport: false
        }
    }
}

/// A successful token response (RFC 6749, 5.1).
package struct TokenResponse {
    package var accessToken: Secret
    /// The lifetime in seconds, or `nil` for never.
    package var expiresIn: Int64?
    package var refreshToken: Secret?
    /// The lifetime of the refresh token in seconds, sent by GitHub and defined by no RFC.
    package var refreshTokenExpiresIn: Int64?
    /// The scopes separated by spaces; `nil` means the requested ones.
    package var scope: String?
    /// The unverified ID token (OpenID Connect Core 1.0, 3.1.3.3).
    package var idToken: [UInt8]?

    /// Returns `nil` unless the token is of type bearer, and does not expire immediately.
    init?(_ fields: JSONValue, _ server: OAuthServer) {
        guard let token = fields.secret("access_token").flatMap(Self.token),
            let type = fields.text("token_type"), ASCII.equalsIgnoringCase(type, "bearer")
        else { return nil }
        accessToken = token
        if fields["expires_in"] != nil {
            guard let seconds = fields.seconds("expires_in"), seconds > 0 else { return nil }
            expiresIn = seconds
        }
        if let secret = fields.secret("refresh_token") {
            guard let token = Self.token(secret) else { return nil }
            refreshToken = token
        }
        refreshTokenExpiresIn = fields.seconds("refresh_token_expires_in").flatMap { $0 > 0 ? $0 : nil }
        idToken = fields.text("id_token")
        scope = fields.text("scope").flatMap { Self.scope($0, server.scopeSeparator) }
    }

    /// Returns a token (RFC 6749, A.12 and A.17, `VSCHAR`) of at most 16,384 characters: a signed one that lists roles
    /// has several thousand.
    static func token(_ secret: Secret) -> Secret? {
        secret.reveal { (1...16_384).contains($0.count) && $0.allSatisfy(ASCII.isPrintable) } ? secret : nil
    }

    private static func scope(_ text: [UInt8], _ separator: UInt8?) -> String? {
        guard text.count <= 1_024, text.allSatisfy(ASCII.isPrintable) else { return nil }
        let names = text.split { $0 == UInt8(ascii: " ") || $0 == separator }
        return names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }
}
