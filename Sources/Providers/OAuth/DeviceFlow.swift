package import CredentialCore

/// ⑤ The device authorization grant, RFC 8628: the requests, and the meaning of the responses.
///
/// `Polling` decides when to send them.
package struct DeviceFlow {
    package let client: OAuthClient
    private let transport: any Transport

    package init(client: OAuthClient, transport: any Transport) {
        self.client = client
        self.transport = transport
    }

    /// RFC 8628, 3.1 and 3.2; after an error, trying again immediately would not help.
    package func requestCode() throws(SignInError) -> DeviceAuthorization {
        guard let endpoint = client.server.deviceAuthorization else { throw .deviceFlowUnsupported }
        var form = FormBuilder()
        form.add("client_id", client.id.utf8)
        form.add("scope", client.scopes.utf8)
        let response: HTTPResponse
        do {
            // A confidential client proves here as well who it is (RFC 8628, 3.1).
            response = try transport.send(client.request(to: endpoint, form))
        } catch .interrupted {
            throw .cancelled
        } catch {
            throw .transport(error)
        }
        if let seconds = Self.pause(after: response, client.server) { throw .busy(seconds: seconds) }
        if let fields = AnswerFields(response), response.status < 500, !(300..<400).contains(response.status) {
            if let code = fields.text("error") { throw refusal(client.server.code(code), status: response.status) }
            if response.status == 200 {
                return try DeviceAuthorization(fields, from: client.server)
            }
        }
        throw refusal(status: response.status)
    }

    /// How long a server wants to be left alone, in seconds, if it says so; `slow_down` is for polls (RFC 8628, 3.5),
    /// and some send it here as well.
    private static func pause(after response: HTTPResponse, _ server: OAuthServer) -> Int64? {
        let isSlowDown = AnswerFields(response)?.text("error").map { server.code($0) == .slowDown } ?? false
        guard response.status == 429 || isSlowDown else { return nil }
        let asked = response.header("retry-after").flatMap(DecimalNumber.parse)
        return asked ?? (isSlowDown ? DeviceAuthorization.defaultInterval : nil)
    }

    private func refusal(_ code: OAuthErrorCode, status: Int) -> SignInError {
        switch code {
        case .deviceFlowDisabled: .deviceFlowDisabled
        case .unauthorizedClient: .deviceFlowUnsupported
        case .invalidScope: .invalidScope(DisplayText(untrusted: client.scopes.utf8))
        case .incorrectClientCredentials where client.authentication.isPresent: .clientSecretRejected
        case .invalidClient where client.server.hasConfidentialClients && !client.authentication.isPresent:
            .clientConfidential
        case .invalidClient where client.authentication.isPresent: .clientOrProofUnknown
        case .invalidClient, .incorrectClientCredentials: .unknownClient
        case .unverifiedUserEmail: .unverifiedUserEmail
        case .other where status == client.server.unknownClientStatus: .unknownClient
        case .other(let text): status == 429 ? .unavailable(status: status) : .refused(text)
        default: .malformedAnswer
        }
    }

    private func refusal(status: Int) -> SignInError {
        switch status {
        case client.server.unknownClientStatus: .unknownClient
        case 401, 403, 404, 422: .deviceFlowUnsupported
        case 429, 500...: .unavailable(status: status)
        default: .malformedAnswer
        }
    }

    package enum Poll {
        case approved(TokenResponse)
        /// `Polling` knows how long to wait.
        case waiting
        /// Until the time that the server named.
        case postponed(status: Int)
        case expired
    }

    /// RFC 8628, 3.4 and 3.5; `polling` learns from the response how long to wait before the next poll.
    ///
    /// The deadline is when the code expires, in milliseconds of uptime; the poll does not wait longer for a response.
    /// After an error polling must stop. Network faults do not stop it, because the person may be about to approve;
    /// they count as "not yet".
    package func poll(
        _ authorization: DeviceAuthorization, _ polling: inout Polling, deadline: Int64
    ) throws(SignInError) -> Poll {
        var form = FormBuilder()
        form.add("client_id", client.id.utf8)
        form.add("device_code", authorization.deviceCode)
        form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code".utf8)
        if let id = client.repositoryID { form.add("repository_id", String(id).utf8) }
        let response: HTTPResponse
        do {
            response = try transport.send(
                client.request(to: client.server.token, form, deadline: deadline))
        } catch .interrupted {
            throw .cancelled
        } catch .tooLarge {
            throw .malformedAnswer
        } catch {
            guard error.mayPass else { throw .transport(error) }
            polling.backOff()
            return .waiting
        }
        switch TokenAnswer(response, client.server) {
        case .success(let token): return .approved(token)
        case .failure(let code, let interval): return try take(code, interval, &polling)
        case .unavailable(let status, let retryAfter?):
            polling.postpone(by: retryAfter)
            return .postponed(status: status)
        case .unavailable(_, nil):
            polling.backOff()
            return .waiting
        case .malformed: throw .malformedAnswer
        }
    }

    private func take(
        _ code: OAuthErrorCode, _ interval: Int64?, _ polling: inout Polling
    ) throws(SignInError) -> Poll {
        switch code {
        case .authorizationPending: return .waiting
        case .slowDown:
            polling.slowDown(to: interval)
            return .waiting
        case .expiredToken: return .expired
        case .accessDenied: throw .declined
        case .deviceFlowDisabled: throw .deviceFlowDisabled
        // The client is known, or there would be no code: it is one that has to authenticate (RFC 6749, 5.2).
        case .invalidClient where !client.authentication.isPresent: throw .clientSecretWanted
        case .invalidClient: throw .clientSecretRejected
        case .incorrectClientCredentials:
            throw client.authentication.isPresent ? .clientSecretRejected : .unknownClient
        case .unauthorizedClient: throw .deviceFlowUnsupported
        case .invalidScope: throw .invalidScope(DisplayText(untrusted: client.scopes.utf8))
        case .incorrectDeviceCode, .invalidGrant: throw .incorrectDeviceCode
        case .unverifiedUserEmail: throw .unverifiedUserEmail
        case .other(let text): throw .refused(text)
        }
    }
}

/// RFC 8628, 3.2.
package struct DeviceAuthorization {
    /// With it we poll: a bearer secret until it expires, never shown.
    package var deviceCode: Secret
    /// Exactly as received.
    package var userCode: String
    /// On it the person enters the user code; always on the host that was asked.
    package var verificationURI: HTTPSAddress
    /// In seconds, at most 15 minutes.
    package var expiresIn: Int64
    /// Seconds between two polls.
    package var interval: Int64

    /// RFC 8628, 3.2: "clients MUST use 5 as the default".
    static let defaultInterval: Int64 = 5
    /// In seconds: no server asks for more, and with a longer one, the code could expire before the first poll.
    static let longestInterval: Int64 = 60
    /// That of GitHub's codes, in seconds; GitLab's expire earlier.
    static let longestLifetime: Int64 = 900

    /// - Throws: `SignInError.malformedAnswer`, `.foreignAddress`, or `.deviceFlowUnsupported` for a response
    ///   without a URL.
    init(_ fields: AnswerFields, from server: OAuthServer) throws(SignInError) {
        // The spelling of an older draft, which cli/oauth accepts as well. If neither is there, something else
        // answered.
        guard let page = fields.text("verification_uri") ?? fields.text("verification_url") else {
            throw .deviceFlowUnsupported
        }
        guard let deviceCode = fields.text("device_code"), deviceCode.count <= 2_048,
            deviceCode.allSatisfy({ (0x21...0x7e).contains($0) }),
            let userCode = fields.text("user_code"), Self.isUserCode(userCode)
        else { throw .malformedAnswer }
        guard let text = String(validating: page, as: UTF8.self), let address = HTTPSAddress(parsing: text),
            server.mayVerify(at: address)
        else { throw .foreignAddress }
        self.deviceCode = Secret(deviceCode)
        self.userCode = String(decoding: userCode, as: UTF8.self)
        verificationURI = address
        let lifetime = fields.seconds("expires_in") ?? Self.longestLifetime
        expiresIn = lifetime > 0 ? min(lifetime, Self.longestLifetime) : Self.longestLifetime
        let interval = fields.seconds("interval") ?? Self.defaultInterval
        self.interval = interval > 0 ? min(interval, Self.longestInterval) : Self.defaultInterval
    }

    private static func isUserCode(_ text: [UInt8]) -> Bool {
        text.count <= 32 && text.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
}

/// When to poll: RFC 8628, 3.5, and what GitHub really does.
///
/// GitHub checks the rate before it looks at the grant. A client that is a few milliseconds early therefore gets
/// `slow_down` forever and never sees its token. So there is a wait before the first poll, each wait starts at the end
/// of the last response, and there is a margin for clocks that run fast (those of virtual machines do, by up to a
/// fifth).
package struct Polling {
    /// Seconds between two polls: what the server asked for, or more.
    package private(set) var interval: Int64
    /// Seconds before which the server would reject the next poll: what it has asked for so far.
    private var leastInterval: Int64

    /// In seconds, from the device authorization response.
    package init(interval: Int64) {
        self.interval = interval
        leastInterval = interval
    }

    /// Milliseconds to wait after the end of the last response.
    package var wait: Int64 { interval * 1_200 }

    /// Nil if no further poll is useful; all in milliseconds.
    ///
    /// The last poll is moved forward, so that an approval in the last moments is not missed if network faults have
    /// made the wait long.
    ///
    /// `left` is the time after which a poll is of no use.
    package func wait(within left: Int64) -> Int64? {
        if wait <= left { return wait }
        return leastInterval * 1_000 <= left ? left : nil
    }

    /// All later polls wait five seconds more, or what the server now asks for if that is more.
    package mutating func slowDown(to serverInterval: Int64?) {
        demand(min(max(interval + 5, serverInterval ?? 0), DeviceAuthorization.longestInterval))
    }

    /// After a lost connection or a server error: RFC 8628 recommends doubling the interval.
    package mutating func backOff() {
        interval = max(interval, min(interval * 2, DeviceAuthorization.longestInterval))
    }

    /// The time is used even if it is long, because an earlier request would be rejected as well.
    package mutating func postpone(by seconds: Int64) {
        backOff()
        demand(seconds)
    }

    private mutating func demand(_ seconds: Int64) {
        leastInterval = max(leastInterval, seconds)
        interval = max(interval, leastInterval)
    }
}

package enum SignInError: Error, Equatable {
    case transport(TransportError)
    case unavailable(status: Int)
    /// The server wants no request for so many seconds.
    case busy(seconds: Int64)
    case unknownClient
    /// Or unknown: the server does not tell.
    case clientConfidential
    /// The client, or the secret or key by which it proves who it is: the server does not tell.
    case clientOrProofUnknown
    /// The client is known, and its secret or assertion is not accepted.
    case clientSecretRejected
    case deviceFlowDisabled
    /// All requested scopes.
    case invalidScope(DisplayText)
    /// The host has issued a code to the app, and gives its token to nobody who does not prove to be the app.
    case clientSecretWanted
    case deviceFlowUnsupported
    /// Or none for a client without a secret.
    case codeFlowUnsupported
    /// The loopback interface cannot be listened on.
    case noRedirect
    /// Another server has answered in the browser (RFC 9207); nil if it does not say which.
    case foreignIssuer(DisplayText?)
    /// In the browser.
    case declined
    case expired
    case incorrectDeviceCode
    /// The account's e-mail address has to be verified first.
    case unverifiedUserEmail
    /// The server's code, escaped for display.
    case refused(DisplayText)
    case malformedAnswer
    /// It is not on the host that was asked.
    case foreignAddress
    /// The ID token fails a check.
    case untrustedIdentity(IDTokenError)
    /// Immediately after it was issued.
    case tokenRejected
    /// Nil if the server does not say from which account the approval came.
    case wrongAccount(asked: DisplayText?, got: DisplayText?)
    /// Here, by the person.
    case cancelled
    /// git ended while we waited.
    case abandoned
    /// The notification.
    case unanswered
    /// The code could not be shown.
    case unreachable
}
