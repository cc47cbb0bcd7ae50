package import CredentialCore

/// ④ ⑤ RFC 6749, 1.3: what a client hands in for a token.
package enum AuthorizationGrant {
    /// RFC 6749, 4.1.3, and RFC 7636, 4.5: to the very server that was to show the page.
    case code(Secret, of: AuthorizationRequest)
    /// RFC 8628, 3.4; the response is not waited for beyond the deadline, in milliseconds of uptime.
    case deviceCode(Secret, deadline: Int64)
    /// RFC 6749, 6; it is used up by sending it.
    case refreshToken(Secret)
}

/// Where a server may say no; the same error means different things.
package enum OAuthStage {
    /// In the browser.
    case page
    case deviceAuthorization
    case code
    case deviceCode
    case refresh
    case revocation
}

/// Why a server has not done what a client asked for.
package struct OAuthFailure: Error, Equatable {
    package enum Reason: Equatable {
        case transport(TransportError)
        /// By the server's word, and what that means here.
        case refused(OAuthErrorCode, SignInError)
        /// Nothing is decided.
        case unavailable
        /// OAuth does not define the response.
        case malformed
    }

    package let reason: Reason
    /// 0 if there was no response.
    package let status: Int
    /// Seconds for which the server wants to be left alone, if it says so.
    package let retryAfter: Int64?
    /// Its own, of an error of OAuth's form that comes with a fault.
    package let words: DisplayText?

    package init(_ reason: Reason, status: Int = 0, retryAfter: Int64? = nil, words: DisplayText? = nil) {
        self.reason = reason
        self.status = status
        self.retryAfter = retryAfter
        self.words = words
    }

    /// To a person who signs in.
    package var signInError: SignInError {
        switch reason {
        case .transport(.interrupted): .cancelled
        case .transport(.tooLarge), .malformed: .malformedAnswer
        case .transport(let error): .transport(error)
        case .refused(_, let meaning): meaning
        case .unavailable: .unavailable(status: status, saying: words)
        }
    }

    /// The same request may have another end a moment later.
    package var isTransient: Bool {
        switch reason {
        case .transport(let error): error.isTransient
        case .unavailable: true
        case .refused, .malformed: false
        }
    }
}

extension OAuthClient {
    /// Once: a refresh token that is sent twice looks stolen.
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

    /// RFC 7009, 2.1; which of its tokens it is, the server finds out.
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

    /// Each of its requests has the client's ID: a server may ask for it whatever the proof is, and glewlwyd binds the
    /// tokens to nobody without it.
    var form: FormBuilder {
        var form = FormBuilder()
        form.add("client_id", id.utf8)
        return form
    }

    /// The body counts before the status: GitHub sends its errors with status 200, others with 400 or 401.
    ///
    /// An error together with a token counts as an error; a redirect is not followed.
    func answer(
        to form: consuming FormBuilder, at endpoint: HTTPSAddress, _ stage: OAuthStage, deadline: Int64? = nil,
        over transport: any Transport
    ) throws(OAuthFailure) -> JSONValue {
        let form = form.fields()
        func send(_ method: SecretMethod) throws(OAuthFailure) -> HTTPResponse {
            do throws(TransportError) {
                // A refresh cannot be interrupted, because its response may be the only copy of a new pair.
                return try transport.send(
                    request(to: endpoint, form, method, isInterruptible: stage != .refresh, deadline: deadline))
            } catch {
                throw OAuthFailure(.transport(error))
            }
        }
        var response = try send(server.secretMethods.first ?? .basic)
        // Who asks is checked before what is handed in, so that nothing has been used up by then.
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
            case .other where isOverloaded:
                throw failure(.unavailable, code.name.with(description: description))
            case .slowDown where stage == .deviceCode || stage == .deviceAuthorization:
                throw OAuthFailure(
                    .refused(code, .malformedAnswer), status: status,
                    retryAfter: response.retryAfter ?? fields.seconds("interval").map { max($0, 0) })
            case .slowDown: throw failure(.malformed)
            case .authorizationPending where stage != .deviceCode: throw failure(.malformed)
            default:
                throw failure(.refused(code, meaning(of: code, at: stage).with(description: description)))
            }
        }
        // RFC 7009, 2.2; a server may call nothing at all a page.
        if stage == .revocation, status == 200, response.body.isEmpty { return .null }
        // RFC 6749, 5.2, does not use 403, but rate limits do, and an HTML page comes from a proxy: neither decides
        // anything.
        if isOverloaded || status == 403 || fields == nil && !isRedirect && response.isPage {
            throw failure(.unavailable)
        }
        // One provider answers like this for a refresh token that it has revoked.
        if stage == .refresh, status == 400, response.body.isEmpty {
            throw failure(.refused(.invalidGrant, .invalidGrant))
        }
        guard status == 200, let fields else { throw failure(.malformed) }
        return fields
    }
}

extension HTTPResponse {
    /// For people.
    var isPage: Bool {
        header("content-type").map { ASCII.equalsIgnoringCase($0.prefix(9), "text/html") } ?? false
    }

    /// In seconds; a date instead of them counts as absent (RFC 9110, 10.2.3).
    var retryAfter: Int64? { header("retry-after").flatMap(DecimalNumber.parse) }
}
