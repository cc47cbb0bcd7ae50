import Providers
import Synchronization
import TestSupport

/// A GitHub at which nobody approves before a test says so.
final class PatientProvider: Transport, Sendable {
    private struct State {
        var isApproved = false
        var polls = 0
        var requests = 0
    }

    private let state = Mutex(State())

    /// From now on a poll brings a token.
    func approve() { state.withLock { $0.isApproved = true } }

    /// How often it was polled.
    var polls: Int { state.withLock { $0.polls } }

    /// How many requests of any kind it had.
    var requests: Int { state.withLock { $0.requests } }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let address = SentRequest(request).address
        return state.withLock { state in
            state.requests += 1
            if address.hasSuffix("/login/device/code") { return Self.code }
            if address.hasSuffix("/user") { return GitHubAnswers.user("octocat") }
            state.polls += 1
            return state.isApproved ? GitHubAnswers.oauthAppToken : GitHubAnswers.pending
        }
    }

    /// A code that is polled for every second, with characters in the address that mean something in markup.
    private static let code = HTTPResponse.json(
        """
        {"device_code":"3584d83530557fdd1f46af8289938c8ef79f9dc5","user_code":"WDJB-MJHT",\
        "verification_uri":"https://github.com/login/device?a=1&b=2","expires_in":900,"interval":1}
        """)
}
