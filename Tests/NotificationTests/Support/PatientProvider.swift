import Synchronization
import TestSupport

/// A GitHub where a sign-in is approved only when a test says so.
final class PatientProvider: Transport, Sendable {
    private struct State {
        var isApproved = false
        var polls = 0
        var requests = 0
    }

    private let state = Mutex(State())

    /// Lets the next poll return a token.
    func approve() { state.withLock { $0.isApproved = true } }

    var polls: Int { state.withLock { $0.polls } }
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

    /// A code with an interval of one second, and with markup characters in the address.
    private static let code = HTTPResponse.json(
        """
        {"device_code":"3584d83530557fdd1f46af8289938c8ef79f9dc5","user_code":"WDJB-MJHT",\
        "verification_uri":"https://github.com/login/device?a=1&b=2","expires_in":900,"interval":1}
        """)
}
