package import CredentialCore

/// ⑤ The device authorization grant, RFC 8628: the requests, and the meaning of the responses.
///
/// `Polling` decides when to send them.
package struct DeviceFlow {
    /// The client that asks.
    package let client: OAuthClient
    private let transport: any Transport

    package init(client: OAuthClient, transport: any Transport) {
        self.client = client
        self.transport = transport
    }

    /// Requests a device code and a user code: RFC 8628, 3.1 and 3.2.
    ///
    /// - Returns: the codes, and the page to show.
    /// - Throws: `DeviceFlowError`; trying again immediately would not help.
    package func requestCode() throws(DeviceFlowError) -> DeviceAuthorization {
        var form = FormBuilder()
        form.add("client_id", client.id.utf8)
        form.add("scope", client.scopes.utf8)
        let response: HTTPResponse
        do {
            // A confidential client proves here as well who it is (RFC 8628, 3.1).
            response = try transport.send(client.request(to: client.endpoints.deviceAuthorization, form))
        } catch .interrupted {
            throw .cancelled
        } catch {
            throw .transport(error)
        }
        if let fields = AnswerFields(response), response.status < 500, !(300..<400).contains(response.status) {
            if let code = fields.text("error") { throw refusal(client.dialect.code(code), status: response.status) }
            if response.status == 200 {
                return try DeviceAuthorization(fields, from: client.endpoints)
            }
        }
        throw refusal(status: response.status)
    }

    private func refusal(_ code: OAuthErrorCode, status: Int) -> DeviceFlowError {
        switch code {
        case .deviceFlowDisabled: .deviceFlowDisabled
        case .unauthorizedClient: .deviceFlowUnsupported
        case .invalidScope: .invalidScope(DisplayText(client.scopes.utf8))
        case .invalidClient, .incorrectClientCredentials: .unknownClient
        case .unverifiedUserEmail: .unverifiedUserEmail
        case .other where status == client.dialect.unknownClientStatus: .unknownClient
        case .other(let text): status == 429 ? .unavailable(status: status) : .refused(text)
        default: .malformedAnswer
        }
    }

    private func refusal(status: Int) -> DeviceFlowError {
        switch status {
        case client.dialect.unknownClientStatus: .unknownClient
        case 401, 403, 404, 422: .deviceFlowUnsupported
        case 429, 500...: .unavailable(status: status)
        default: .malformedAnswer
        }
    }

    /// The result of one poll.
    package enum Poll {
        /// The person has approved.
        case approved(TokenResponse)
        /// The person has not approved yet; `Polling` knows how long to wait.
        case waiting
        /// The server is unavailable until the time that it named; the status of its response.
        case postponed(status: Int)
        /// The code has expired.
        case expired
    }

    /// Polls once: RFC 8628, 3.4 and 3.5.
    ///
    /// - Parameters:
    ///   - authorization: the result of `requestCode`.
    ///   - polling: learns from the response how long to wait before the next poll.
    ///   - deadline: when the code expires, in milliseconds of uptime; the poll does not wait longer for a response.
    /// - Returns: the result of the poll.
    /// - Throws: `DeviceFlowError`, after which polling must stop. Network faults do not stop it, because the person
    ///   may be about to approve; they count as "not yet".
    package func poll(
        _ authorization: DeviceAuthorization, _ polling: inout Polling, deadline: Int64
    ) throws(DeviceFlowError) -> Poll {
        var form = FormBuilder()
        form.add("client_id", client.id.utf8)
        form.add("device_code", authorization.deviceCode)
        form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code".utf8)
        let response: HTTPResponse
        do {
            response = try transport.send(
                client.request(to: client.endpoints.token, form, deadline: deadline))
        } catch .interrupted {
            throw .cancelled
        } catch .tooLarge {
            throw .malformedAnswer
        } catch {
            guard error.mayPass else { throw .transport(error) }
            polling.backOff()
            return .waiting
        }
        switch TokenAnswer(response, client.dialect) {
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
    ) throws(DeviceFlowError) -> Poll {
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
        case .invalidClient, .incorrectClientCredentials: throw .unknownClient
        case .unauthorizedClient: throw .deviceFlowUnsupported
        case .invalidScope: throw .invalidScope(DisplayText(client.scopes.utf8))
        case .incorrectDeviceCode, .invalidGrant: throw .incorrectDeviceCode
        case .unverifiedUserEmail: throw .unverifiedUserEmail
        case .other(let text): throw .refused(text)
        }
    }
}

/// The device authorization response: RFC 8628, 3.2.
package struct DeviceAuthorization {
    /// The device code, with which we poll: a bearer secret until it expires, never shown.
    package var deviceCode: Secret
    /// The user code, exactly as received.
    package var userCode: String
    /// The page on which the person enters the user code; always on the host that was asked.
    package var verificationURI: HTTPSAddress
    /// Seconds until the code expires, at most 15 minutes.
    package var expiresIn: Int64
    /// Seconds between two polls.
    package var interval: Int64

    /// RFC 8628, 3.2: "clients MUST use 5 as the default".
    static let defaultInterval: Int64 = 5
    /// The longest interval.
    ///
    /// No server asks for more; with a longer one, the code could expire before the first poll.
    static let longestInterval: Int64 = 60
    /// The longest lifetime, which is that of GitHub's codes; GitLab's expire earlier.
    static let longestLifetime: Int64 = 900

    /// Parses a successful response.
    ///
    /// - Parameters:
    ///   - fields: the response.
    ///   - endpoints: the server's endpoints, which decide to which host it may send the person.
    /// - Throws: `DeviceFlowError.malformedAnswer`, `.foreignAddress`, or `.deviceFlowUnsupported` for a response
    ///   without a URL.
    init(_ fields: AnswerFields, from endpoints: OAuthEndpoints) throws(DeviceFlowError) {
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
            endpoints.mayVerify(at: address)
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

    /// Starts with the interval of the device authorization response, in seconds.
    package init(interval: Int64) {
        self.interval = interval
        leastInterval = interval
    }

    /// Milliseconds to wait after the end of the last response.
    package var wait: Int64 { interval * 1_200 }

    /// Milliseconds to wait before the next poll of a code that expires.
    ///
    /// The last poll is moved forward, so that an approval in the last moments is not missed if network faults have
    /// made the wait long.
    ///
    /// - Parameter left: milliseconds after which a poll is of no use.
    /// - Returns: nil if no further poll is useful.
    package func wait(within left: Int64) -> Int64? {
        if wait <= left { return wait }
        return leastInterval * 1_000 <= left ? left : nil
    }

    /// Handles `slow_down`: all later polls wait five seconds more, or what the server now asks for if that is more.
    ///
    /// - Parameter serverInterval: the `interval` that came with the error, in seconds.
    package mutating func slowDown(to serverInterval: Int64?) {
        demand(min(max(interval + 5, serverInterval ?? 0), DeviceAuthorization.longestInterval))
    }

    /// Handles a lost connection or a server error: RFC 8628 recommends doubling the interval.
    package mutating func backOff() {
        interval = max(interval, min(interval * 2, DeviceAuthorization.longestInterval))
    }

    /// Handles a server error with a time at which the server will be available again.
    ///
    /// - Parameter seconds: used even if it is long, because an earlier request would be rejected as well.
    package mutating func postpone(by seconds: Int64) {
        backOff()
        demand(seconds)
    }

    private mutating func demand(_ seconds: Int64) {
        leastInterval = max(leastInterval, seconds)
        interval = max(interval, leastInterval)
    }
}

/// Why a sign-in failed.
package enum DeviceFlowError: Error, Equatable {
    /// The server could not be reached.
    case transport(TransportError)
    /// Server error; the status.
    case unavailable(status: Int)
    /// The host does not know the client ID.
    case unknownClient
    /// The owner of the app has not enabled the device flow.
    case deviceFlowDisabled
    /// The app is not allowed a scope that was requested; all requested scopes.
    case invalidScope(DisplayText)
    /// The host has issued a code to the app, and gives its token to nobody who does not prove to be the app.
    case clientSecretWanted
    /// The host offers no device flow to this app.
    case deviceFlowUnsupported
    /// The person pressed Cancel in the browser.
    case declined
    /// The code expired before anybody approved.
    case expired
    /// The server does not recognise our device code.
    case incorrectDeviceCode
    /// The account's e-mail address has to be verified first.
    case unverifiedUserEmail
    /// Any other error: the server's code, escaped for display.
    case refused(DisplayText)
    /// The response is malformed.
    case malformedAnswer
    /// The page to show is not on the host that was asked.
    case foreignAddress
    /// Who has signed in cannot be believed: the ID token fails a check.
    case untrustedIdentity(IDTokenError)
    /// The server rejected the new token immediately.
    case tokenRejected
    /// The approval came from another account than the requested one; nil if the server does not say from which.
    case wrongAccount(asked: DisplayText, got: DisplayText?)
    /// The person cancelled here.
    case cancelled
    /// git ended while we waited.
    case abandoned
    /// Nobody answered the notification.
    case unanswered
    /// The code could not be shown.
    case unreachable
}
