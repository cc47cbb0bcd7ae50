import CredentialCore
import Helper
import TestSupport

@testable import Share

/// A target that asks, among doubles.
final class ShareFixture {
    /// The helper's own, with its keyring and network.
    let helper = HelperFixture()
    /// The person.
    let screen: ScriptedScreen
    /// What was written down.
    private(set) var events: [ShareEvent] = []
    private let target: ShareTarget
    private let end: Int64?
    private lazy var responder = ShareResponder(
        for: target, until: end, screen: screen, clock: doubles.clock,
        dependencies: { [doubles] in .forTests(doubles) },
        tell: { [unowned self] event, _ in events.append(event) })

    var doubles: Doubles { helper.doubles }

    /// A target.
    ///
    /// - Parameters:
    ///   - hosts: what it may ask for.
    ///   - username: the account on all of them.
    ///   - confirmation: when the person is asked.
    ///   - isLongLived: whether it may have tokens that do not expire.
    ///   - kind: how it reaches the socket.
    ///   - gateway: what it may do through one; nil if it gets the token.
    ///   - end: when its time is over, in milliseconds of uptime.
    init(
        _ hosts: String..., as username: String? = nil, confirmation: ShareTarget.Confirmation? = nil,
        isLongLived: Bool = false, kind: ShareTarget.Kind = .directory,
        gateway: GatewayPolicy? = nil, until end: Int64? = nil
    ) {
        self.end = end
        screen = ScriptedScreen(clock: helper.doubles.clock)
        let names = hosts.isEmpty ? ["github.com"] : hosts
        target = ShareTarget(
            name: ShareName(forDestination: "box"), kind: kind,
            hosts: names.compactMap { HostName(Array($0.utf8)) }.map {
                ShareTarget.Host($0, username: username.map { Array($0.utf8) })
            }, access: gateway.map { .gateway($0) } ?? .token(TokenTerms(isLongLived: isLongLived)),
            confirmation: confirmation)
    }

    /// The reasons for which the target got nothing, in order.
    var refusals: [ShareRefusal] {
        events.compactMap {
            switch $0 {
            case .refused(let refusal, _, _), .refusedRequest(_, let refusal): refusal
            default: nil
            }
        }
    }

    /// Lets the target ask as git's credential-cache does.
    func ask(
        _ action: String = "get", _ lines: String = "protocol=https\nhost=github.com", arrivedAt arrival: Int64? = nil
    ) -> String { send("action=\(action)\ntimeout=900\n\(lines)\n", arrivedAt: arrival) }

    /// Lets the target send anything.
    func send(_ text: String, arrivedAt arrival: Int64? = nil) -> String {
        responder.answer(
            Secret(Array(text.utf8)), from: SharePeer(process: 1, user: 1_000),
            arrivedAt: arrival ?? doubles.clock.uptimeMilliseconds, whileWaiting: {}
        ).text
    }

    /// One connection of the target, which is behind a gateway.
    func connection() -> GatewayResponder {
        GatewayResponder(under: target.access.gateway ?? GatewayPolicy(.hosts([])), responder)
    }

    /// Lets the process of a gateway's connection ask.
    func ask(
        _ intention: GatewayIntention, by connection: GatewayResponder? = nil, arrivedAt arrival: Int64? = nil
    ) -> GatewayToken? {
        let answer = (connection ?? self.connection()).answer(
            intention, arrivedAt: arrival ?? doubles.clock.uptimeMilliseconds, whileWaiting: {})
        return GatewayToken(parsing: answer)
    }

    /// Lets time go by, and the listener look at the screen.
    func wait(minutes: Int64) {
        doubles.clock.advance(milliseconds: minutes * 60_000)
        responder.watchScreen()
    }

    /// Whether the process has to stay for the person's yes.
    var isHolding: Bool { responder.isHolding }
}
