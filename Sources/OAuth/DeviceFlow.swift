internal import CredentialCore

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
