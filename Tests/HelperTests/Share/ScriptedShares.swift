import CredentialCore
import Share
import System
import TestSupport

/// Shares that send scripted requests once, and then end.
final class ScriptedShares: Shares, SharePlace {
    struct Limits: Equatable {
        let end: Int64?
        let idle: Int64?
    }

    private let clock: RecordingClock
    /// More lines for each request for github.com.
    var asking: [String] = []
    var willServe: () -> Void = {}
    /// The numbers of users who are neither root nor us.
    var strangers: [UInt32] = []
    var end = ShareEnd.stopped
    var saved: ShareRecord?
    private(set) var limits: [Limits] = []
    private(set) var closed = 0
    private var plan: SharePlan?
    init(clock: RecordingClock) { self.clock = clock }

    func open(_ plan: SharePlan) -> any SharePlace {
        self.plan = plan
        return self
    }
    func prepare(_ plan: SharePlan) {}
    var found: [FoundShare] = []
    var all: [FoundShare] { found }
    func record(of name: ShareName) -> ShareRecord? { saved }
    var isShared = true
    func stop(_ name: ShareName) -> Bool { isShared }
    func forget(_ name: ShareName) { saved = nil }
    var confinesContainers = false
    var confinesConnections = true

    var directory: String {
        guard case .ssh(let destination)? = plan?.kind else { return "/run/user/1000/gitspace/box" }
        return "/run/user/7/gitspace of \(destination)"
    }
    var lastRecord: ShareRecord? { nil }
    private(set) var writes = 0
    func write(_ record: ShareRecord) {
        saved = record
        writes += 1
    }
    func close() { closed += 1 }

    func serve(_ session: any ShareSession, until end: SharePlan.End?) -> ShareEnd {
        limits.append(Limits(end: end.map { $0.uptime - clock.uptimeMilliseconds }, idle: plan?.idle))
        willServe()
        for user in strangers { _ = session.credentials.admits(user: user, own: 1_000) }
        for (number, lines) in zip(1..., asking) {
            _ = (session as? TokenSession)?.answer(
                Secret(Array("action=get\ntimeout=900\nprotocol=https\nhost=github.com\n\(lines)".utf8)),
                from: Peer(process: Int32(number), user: 1_000), arrivedAt: clock.uptimeMilliseconds, whileWaiting: {})
        }
        return self.end
    }
}
