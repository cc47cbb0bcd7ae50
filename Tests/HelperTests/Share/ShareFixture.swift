import System
import TestSupport
import Testing

@testable import Share

/// A target that sends requests, on test doubles.
final class ShareFixture: HelperSuite {
    let helper = HelperFixture()
    let screen: ScriptedScreen
    private(set) var events: [ShareEvent] = []
    let plan: SharePlan
    private(set) lazy var credentials = ShareCredentials(
        for: plan, screen: screen, clock: doubles.clock, words: UserFacingError.unreachable,
        dependencies: { [doubles] in .forTests(doubles) }, tell: { [unowned self] in events.append($0) })
    private(set) lazy var session = TokenSession(credentials)

    /// Creates a share for a target.
    ///
    /// `end` is in milliseconds of uptime. `seconds` is the time until the person's token for github.com expires, which
    /// was issued for `lifetime` seconds; nobody is signed in if it is `nil`. Without `gateway`, the target gets tokens.
    init(
        _ hosts: String..., as username: String? = nil, confirmation: SharePlan.Confirmation? = nil,
        isLongLived: Bool = false, kind: SharePlan.Kind = .directory, gateway: GatewayPolicy? = nil,
        until end: Int64? = nil, expiresIn seconds: Int64? = nil, lifetime: Int64? = nil
    ) {
        if let seconds { helper.stored(expiresIn: seconds, lifetime: lifetime) }
        screen = ScriptedScreen(clock: helper.doubles.clock)
        let names = hosts.isEmpty ? ["github.com"] : hosts
        plan = SharePlan(
            name: ShareName(forDestination: "box"), kind: kind,
            hosts: names.compactMap { HostName(Array($0.utf8)) }.map {
                SharePlan.Host($0, username: username.map { Array($0.utf8) })
            }, access: gateway.map { .gateway($0) } ?? .token(isLongLived: isLongLived),
            confirmation: confirmation, end: end.map { SharePlan.End(time: 0, uptime: $0) })
    }

    func signOut() { for item in doubles.keyring.items { try? doubles.keyring.remove(item) } }

    var refusals: [ShareRefusal] {
        events.compactMap {
            switch $0 {
            case .refused(let refusal, _, _), .refusedRequest(_, let refusal): refusal
            default: nil
            }
        }
    }

    /// Sends a request as git's credential-cache does.
    func ask(
        _ action: String = "get", _ lines: String = "protocol=https\nhost=github.com", arrivedAt arrival: Int64? = nil
    ) -> String { send("action=\(action)\ntimeout=900\n\(lines)\n", arrivedAt: arrival) }

    func send(_ text: String, arrivedAt arrival: Int64? = nil) -> String {
        session.answer(
            Secret(Array(text.utf8)), from: Peer(process: 1, user: 1_000),
            arrivedAt: arrival ?? doubles.clock.uptimeMilliseconds, whileWaiting: {}
        ).text
    }

    func admits(user: UInt32, own: UInt32) -> Bool { credentials.admits(user: user, own: own) }

    func connection() -> GatewayResponder {
        GatewayResponder(under: plan.access.gateway ?? GatewayPolicy(.hosts([])), credentials)
    }

    /// Sends a request as the process of a gateway's connection.
    func ask(_ intention: GatewayIntention, by connection: GatewayResponder? = nil, arrivedAt arrival: Int64? = nil)
        -> GatewayToken?
    {
        let answer = (connection ?? self.connection()).answer(
            intention, arrivedAt: arrival ?? doubles.clock.uptimeMilliseconds, whileWaiting: {})
        return GatewayToken(parsing: answer)
    }

    /// The lines that the log has for an event, in English.
    func lines(of event: ShareEvent) -> [String] { event.lines(plan).map(\.english) }

    /// Advances the clock, and lets the listener check the screen.
    func wait(minutes: Int64) {
        doubles.clock.advance(milliseconds: minutes * 60_000)
        credentials.tick()
    }

    /// Whether the process has to keep running for the person's approval.
    var isHolding: Bool { credentials.isHolding }
}

extension GatewayIntention {
    /// Returns a fetch from acme/app, or a push of these branches to it; one whose name ends in `gone` is deleted.
    static func transfer(
        _ branches: [String] = [], isNew: Bool = true, on host: String = "github.com", step: Step = .transfer,
        isRejected: Bool = false, pullRequest: PullRequestOptions? = nil
    ) throws -> GatewayIntention {
        let commands = try branches.map { branch in
            let ids = (branch.hasSuffix("gone") ? "b0" : isNew ? "0b" : "ab").map { String(repeating: $0, count: 40) }
            return try #require(PushCommand(line: Array("\(ids[0]) \(ids[1]) refs/heads/\(branch)".utf8)[...]))
        }
        return GatewayIntention(
            try #require(RepositoryName(host: HostName(name: host), path: "acme/app")),
            branches.isEmpty ? .uploadPack : .receivePack, step, isRejected: isRejected, commands: commands,
            pullRequest: pullRequest)
    }
}
