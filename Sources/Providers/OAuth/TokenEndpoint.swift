package import CredentialCore

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
    package let status: Int
    /// Seconds after which the server allows the next request, or `nil` if unknown.
    package let retryAfter: Int64?
    /// The server's own words, if an OAuth error came with a fault of the server.
    package let words: DisplayText?

    package init(_ reason: Reason, status: Int = 0, retryAfter: Int64? = nil, words: DisplayText? = nil) {
        self.reason = reason
        self.status = status
        self.retryAfter = retryAfter
        self.words = words
    }

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
        case .transport(let error): error.isTransient
        case .unavailable: true
        case .refused, .malformed: false
        }
    }
}

extension OAuthClient {
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
            form.add("code_verifier", request.proof.verifier)
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
        guard let token = TokenResponse(fields, server) else { throw OAuthFailure(.malformed, status: 200) }
        return token
    }

    /// Revokes a token of either kind (RFC 7009, 2.1).
    func revoke(_ token: Secret, at endpoint: HTTPSAddress, over transport: any Transport) -> RevocationOutcome {
        var form = form
        form.add("token", token)
        do throws(OAuthFailure) {
            _ = try answer(to: form, at: endpoint, .revocation, over: transport)
            return .accepted
        } catch {
            if case .transport(let error) = error.reason { return .failed(error) }
            return .refused(status: error.status)
        }
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
        let form = form.fields()
        func send(_ method: SecretMethod) throws(OAuthFailure) -> HTTPResponse {
            // A refresh must not be interrupted: its response may be the only copy of a new pair.
            try rethrowing(
                as: { (error: TransportError) in OAuthFailure(.transport(error)) },
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

    private func answer(in response: HTTPResponse, _ stage: OAuthStage) throws(OAuthFailure) -> JSONValue {
        let status = response.status
        func failure(_ reason: OAuthFailure.Reason, _ words: DisplayText? = nil) -> OAuthFailure {
            OAuthFailure(reason, status: status, retryAfter: response.retryAfter, words: words)
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
                    .refused(code, .malformedAnswer), status: status,
                    retryAfter: response.retryAfter ?? fields.seconds("interval").map { max($0, 0) })
            case .slowDown: throw failure(.malformed)
            case .authorizationPending where stage != .deviceCode: throw failure(.malformed)
            default: throw failure(.refused(code, meaning(of: code, at: stage).with(description: description)))
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

extension HTTPResponse {
    var isPage: Bool { header("content-type").map { ASCII.equalsIgnoringCase($0.prefix(9), "text/html") } ?? false }

    /// The header's seconds; a date counts as absent (RFC 9110, 10.2.3).
    var retryAfter: Int64? { header("retry-after").flatMap(DecimalNumber.parse) }
}
