package import CredentialCore

// ⑤ The two flows in which a person approves: the device flow and the code flow.

/// The device authorization grant (RFC 8628).
extension OAuthClient {
    /// Requests a code (RFC 8628, 3.1 and 3.2); after an error, an immediate retry would not help.
    package func requestCode(over transport: any Transport) throws(SignInError) -> DeviceAuthorization {
        guard let endpoint = server.deviceAuthorization else { throw .noDeviceFlow }
        var form = form
        form.add("scope", scopes.utf8)
        let fields: JSONValue
        do throws(OAuthFailure) {
            // A confidential client authenticates here as well (RFC 8628, 3.1).
            fields = try answer(to: form, at: endpoint, .deviceAuthorization, over: transport)
        } catch {
            throw refusal(error)
        }
        return try DeviceAuthorization(fields, from: server)
    }

    /// Interprets a refusal; without a known OAuth error, the status shows whether there is a device flow.
    private func refusal(_ failure: OAuthFailure) -> SignInError {
        let (status, pause) = (failure.status, failure.retryAfter)
        switch failure.reason {
        // Some servers send this error of polls (RFC 8628, 3.5) here as well.
        case .refused(.slowDown, _): return .busy(seconds: pause ?? DeviceAuthorization.defaultInterval)
        case .refused(.other, _) where status == server.unknownClientStatus: return .unknownClient
        case .transport, .refused: return failure.signInError
        case .unavailable, .malformed:
            if status == 429, let pause { return .busy(seconds: pause) }
            switch status {
            case server.unknownClientStatus: return .unknownClient
            case 401, 403, 404, 422: return .deviceFlowUnsupported
            default: return failure.signInError
            }
        }
    }

    package enum Poll {
        case approved(TokenResponse)
        case waiting
        /// The server named the time of the next poll.
        case postponed(status: Int)
        case expired
    }

    /// Polls once (RFC 8628, 3.4 and 3.5), and updates the next wait in `polling`.
    ///
    /// `deadline` is the code's expiry in milliseconds of uptime. Polling must stop after an error. Network faults are
    /// no errors, since the person may be about to approve.
    package func poll(
        _ authorization: DeviceAuthorization, _ polling: inout Polling, deadline: Int64, over transport: any Transport
    ) throws(SignInError) -> Poll {
        do throws(OAuthFailure) {
            let grant = AuthorizationGrant.deviceCode(authorization.deviceCode, deadline: deadline)
            return .approved(try exchange(grant, over: transport))
        } catch {
            if error.words != nil, error.status >= 500, polling.endsByServerError() { throw error.signInError }
            switch (error.reason, error.retryAfter) {
            case (.refused(.authorizationPending, _), _): break
            case (.refused(.slowDown, _), let seconds): polling.slowDown(to: seconds)
            case (.refused(_, .expired), _): return .expired
            case (.unavailable, let seconds?) where seconds <= DeviceAuthorization.longestLifetime:
                polling.postpone(by: seconds)
                return .postponed(status: error.status)
            case _ where error.isTransient: polling.backOff()
            default: throw error.signInError
            }
            return .waiting
        }
    }
}

/// A device authorization response (RFC 8628, 3.2).
package struct DeviceAuthorization {
    /// The code for polling, a bearer secret until it expires.
    package var deviceCode: Secret
    package var userCode: String
    /// The page on which the person enters the user code; on a host of `OAuthServer.mayVerify`.
    package var verificationURI: HTTPSAddress
    /// The lifetime in seconds, at most 15 minutes.
    package var expiresIn: Int64
    /// Seconds between two polls.
    package var interval: Int64

    /// RFC 8628, 3.2: "clients MUST use 5 as the default".
    static let defaultInterval: Int64 = 5
    /// Seconds; the code could expire during a longer wait.
    static let longestInterval: Int64 = 60
    /// Seconds, the lifetime of GitHub's codes.
    static let longestLifetime: Int64 = 900

    /// - Throws: `.malformedAnswer`, `.foreignAddress`, or `.deviceFlowUnsupported` for a response without a URL.
    init(_ fields: JSONValue, from server: OAuthServer) throws(SignInError) {
        // The second spelling is an older draft's. A response with neither is not a device endpoint's.
        guard let page = fields.text("verification_uri") ?? fields.text("verification_url") else {
            throw .deviceFlowUnsupported
        }
        guard let deviceCode = fields.secret("device_code"), deviceCode.count <= 2_048,
            deviceCode.reveal({ $0.allSatisfy { (0x21...0x7e).contains($0) } }),
            let userCode = fields.text("user_code"), Self.isUserCode(userCode)
        else { throw .malformedAnswer }
        guard let text = String(validating: page, as: UTF8.self), let address = HTTPSAddress(parsing: text),
            server.mayVerify(at: address)
        else { throw .foreignAddress }
        self.deviceCode = deviceCode
        self.userCode = String(decoding: userCode, as: UTF8.self)
        verificationURI = address
        let lifetime = fields.seconds("expires_in") ?? Self.longestLifetime
        expiresIn = lifetime > 0 ? min(lifetime, Self.longestLifetime) : Self.longestLifetime
        let interval = fields.seconds("interval") ?? Self.defaultInterval
        self.interval = interval > 0 ? min(interval, Self.longestInterval) : Self.defaultInterval
    }

    /// A code that another process polls for; returns `nil` if the server could not have sent it.
    package init?(userCode: String, page: String, expiresIn: Int64, from server: OAuthServer) {
        guard Self.isUserCode(Array(userCode.utf8)), let address = HTTPSAddress(parsing: page),
            server.mayVerify(at: address), (1...Self.longestLifetime).contains(expiresIn)
        else { return nil }
        deviceCode = Secret([])
        self.userCode = userCode
        verificationURI = address
        self.expiresIn = expiresIn
        interval = Self.defaultInterval
    }

    private static func isUserCode(_ text: [UInt8]) -> Bool { text.count <= 32 && ASCII.isPlain(text, with: "-") }
}

/// Decides when to poll, by RFC 8628, 3.5, and GitHub's real behaviour.
///
/// GitHub checks the rate before the grant, so a client that is a few milliseconds early gets `slow_down` forever. So
/// the first poll waits too, each wait starts at the end of the last response, and a fifth is added for fast clocks, as
/// in virtual machines.
package struct Polling {
    /// Seconds between two polls, at least as many as the server asked for.
    package private(set) var interval: Int64
    /// Seconds before which the server would reject the next poll.
    private var leastInterval: Int64

    private var serverErrors = 0

    /// The most errors that may be accidents.
    private static let mostServerErrors = 3

    package init(interval: Int64) {
        self.interval = interval
        leastInterval = interval
    }

    /// Milliseconds to wait after the end of the last response.
    package var wait: Int64 { interval * 1_200 }

    /// The wait in milliseconds, or `nil` if no further poll is useful.
    ///
    /// `left` is the time until the deadline. The last poll is moved forward, so that an approval in the last moments
    /// counts even if network faults have lengthened the wait.
    package func wait(within left: Int64) -> Int64? {
        if wait <= left { return wait }
        return leastInterval * 1_000 <= left ? left : nil
    }

    /// Lengthens the interval by five seconds, or to the server's if that is longer.
    package mutating func slowDown(to serverInterval: Int64?) {
        demand(min(max(interval + 5, serverInterval ?? 0), DeviceAuthorization.longestInterval))
    }

    mutating func endsByServerError() -> Bool {
        serverErrors += 1
        return serverErrors >= Self.mostServerErrors
    }

    /// Doubles the interval after a lost connection or a server error, as RFC 8628 recommends.
    package mutating func backOff() { interval = max(interval, min(interval * 2, DeviceAuthorization.longestInterval)) }

    /// Postpones the next poll, however long: the server would reject an earlier one.
    package mutating func postpone(by seconds: Int64) {
        backOff()
        demand(seconds)
    }

    private mutating func demand(_ seconds: Int64) {
        leastInterval = max(leastInterval, seconds)
        interval = max(interval, leastInterval)
    }
}

/// A request of the authorization code grant for a native app (RFC 6749, 4.1; RFC 7636, S256; RFC 8252; RFC 9207).
///
/// Each request is used once.
package struct AuthorizationRequest {
    package let page: HTTPSAddress
    package let redirectURI: String
    /// The nonce of the ID token (OpenID Connect Core 1.0, 3.1.2.1), or `nil` if none is requested.
    package let nonce: String?
    /// The proof key (RFC 7636, 4.1), for the token endpoint alone: without it, a stolen code is useless.
    let verifier: Secret
    private let state: Secret
    private let client: OAuthClient

    /// `account` must be a valid account name of the service.
    package init(
        by client: OAuthClient, at endpoint: HTTPSAddress, redirectURI: String, account: String?, prompt: String? = nil
    ) {
        let (state, verifier) = (Self.random(), Self.random())
        var digest = SHA256()
        digest.update(verifier.utf8)
        nonce = client.scopes.split(separator: " ").contains("openid") ? Self.random() : nil
        var query = FormBuilder()
        query.add("response_type", "code".utf8)
        query.add("client_id", client.id.utf8)
        query.add("redirect_uri", redirectURI.utf8)
        query.add("scope", client.scopes.utf8)
        query.add("state", state.utf8)
        query.add("code_challenge", Base64URL.encode(digest.digest()))
        query.add("code_challenge_method", "S256".utf8)
        if let nonce { query.add("nonce", nonce.utf8) }
        if let prompt { query.add("prompt", prompt.utf8) }
        if let account { query.add("login_hint", account.utf8) }
        // The endpoint's own query has to be kept (RFC 6749, 3.1).
        let separator = endpoint.path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        page = HTTPSAddress(host: endpoint.host, port: endpoint.port, path: endpoint.path + separator + query.query())
        self.redirectURI = redirectURI
        self.state = Secret(Array(state.utf8))
        self.verifier = Secret(Array(verifier.utf8))
        self.client = client
    }

    /// Returns 256 random bits in 43 characters.
    private static func random() -> String { String(decoding: Base64URL.random(bytes: 32), as: UTF8.self) }

    /// Whether fields contain the state, which no other program and no page in the browser knows (RFC 6749, 10.12).
    package func isAnswered(by fields: FormFields) -> Bool { fields.secret("state") == state }

    /// The code (RFC 6749, 4.1.2); code and error count only from the right issuer (RFC 9207, 2.4).
    package func code(in fields: FormFields) throws(SignInError) -> Secret {
        let answering = fields["iss"]
        if client.server.namesIssuer || answering != nil {
            guard let answering, isIssuer(answering) else {
                throw .foreignIssuer(answering.map { DisplayText(untrusted: $0) })
            }
        }
        if let error = fields["error"] {
            throw client.meaning(of: client.server.code(error), at: .page, described: fields["error_description"])
        }
        // RFC 6749, A.11.
        guard let code = fields.secret("code"), (1...8_192).contains(code.count),
            code.reveal({ $0.allSatisfy(ASCII.isPrintable) })
        else { throw .malformedAnswer }
        return code
    }

    /// Whether a name is exactly the issuer's; without metadata, whether its origin is the page's.
    private func isIssuer(_ name: [UInt8]) -> Bool {
        if let issuer = client.server.issuer { return name.elementsEqual(issuer.text.utf8) }
        return String(validating: name, as: UTF8.self).flatMap(HTTPSAddress.init(parsing:))?.isSameOrigin(as: page)
            == true
    }
}

/// The host of the redirect address (RFC 8252, 7.3); servers ignore its port.
package enum RedirectHost: String, CaseIterable {
    /// The usual host, which cannot be made to resolve elsewhere (8.3).
    case loopbackAddress = "127.0.0.1"
    /// The host for servers that ignore the port of this name alone.
    case localhost
    /// A host that only a person configures.
    case loopbackAddressIPv6 = "[::1]"
}
