import Staging
import Synchronization
import System
import TestSupport
import UserInterface

/// The helper with a real notification service; network, keyring and clock are doubles.
final class NotificationFixture: Sendable {
    let provider = PatientProvider()
    private let address: String?
    private let limits: NotificationLimits
    private let uses = Mutex<[String]>([])
    private let looked = Mutex(0)
    private let clock = MachineClock()

    init(_ session: Session, onBus address: String? = nil, change: (inout NotificationLimits) -> Void = { _ in }) {
        limits = .forTests(change)
        self.address = address ?? session.environment["DBUS_SESSION_BUS_ADDRESS"]
    }

    /// The actions that buttons have triggered.
    var used: [String] { uses.withLock { $0 } }

    /// How often the helper checked whether to keep waiting: at least ten times a second.
    var looks: Int { looked.withLock { $0 } }

    func pass(milliseconds: Int64) { clock.ahead.withLock { $0 += milliseconds } }

    func get() async throws -> (output: String, failures: [UserFacingError]) {
        try await withCheckedThrowingContinuation { continuation in
            // A dedicated thread, since the helper blocks while it waits for the person.
            Thread.detachNewThread { continuation.resume(with: Result { try self.answer() }) }
        }
    }

    private func answer() throws -> (output: String, failures: [UserFacingError]) {
        let doubles = Doubles()
        var dependencies = Dependencies.forTests(doubles)
        dependencies.transport = { _ in self.provider }
        dependencies.ui = NotificationUI(
            onBus: address.flatMap { try? SessionBusAddress(parsing: $0) }, locks: FileLocks(), clock: clock,
            limits: limits,
            isCancelled: {
                self.looked.withLock { $0 += 1 }
                return false
            }, isAbandoned: { false },
            aids: {
                NotificationAids(
                    open: { page in self.uses.withLock { $0.append("open " + page.text) } },
                    copy: { code in self.uses.withLock { $0.append("copy " + code) } })
            })
        let request = try Request("protocol=https\nhost=github.com")
        let output = CredentialHelper(with: dependencies).answer(.get, request).encoded(for: request).text
        return (output, doubles.errors)
    }
}

/// The machine's clock, which a test may move forward; the real service takes real time.
final class MachineClock: Helper.Clock, Sendable {
    private let clock = SystemClock()
    let ahead = Mutex<Int64>(0)

    var now: Int64 { clock.now }
    var uptimeMilliseconds: Int64 { clock.uptimeMilliseconds + ahead.withLock { $0 } }
}

extension NotificationLimits {
    /// Limits long enough for a stalled machine; a test shortens the one that it is about.
    static func forTests(_ change: (inout NotificationLimits) -> Void) -> NotificationLimits {
        var limits = NotificationLimits()
        limits.searchMilliseconds = 60_000
        limits.showMilliseconds = 60_000
        limits.endMilliseconds = 60_000
        limits.lockMilliseconds = 60_000
        limits.questionMilliseconds = 120_000
        limits.afterActionMilliseconds = 60_000
        change(&limits)
        return limits
    }
}

/// A GitHub where a sign-in is approved only when a test says so.
final class PatientProvider: Transport, Sendable {
    private struct State {
        var isApproved = false
        /// The seconds that the server asks to wait for instead of the first code.
        var pause: Int?
        var polls = 0
        var requests = 0
    }

    private let state = Mutex(State())

    /// Lets the next poll return a token.
    func approve() { state.withLock { $0.isApproved = true } }
    func postpone(seconds: Int) { state.withLock { $0.pause = seconds } }

    var polls: Int { state.withLock { $0.polls } }
    var requests: Int { state.withLock { $0.requests } }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let address = SentRequest(request).address
        return state.withLock { state in
            state.requests += 1
            if address.hasSuffix("/login/device/code") {
                guard let pause = state.pause.take() else { return Self.code }
                return .page(status: 429, headers: [("retry-after", "\(pause)")])
            }
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
