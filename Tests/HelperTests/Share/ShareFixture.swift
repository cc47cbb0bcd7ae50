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
    private lazy var responder = ShareResponder(
        for: target, screen: screen, clock: doubles.clock, dependencies: { [doubles] in .forTests(doubles) },
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
    init(
        _ hosts: String..., as username: String? = nil, confirmation: ShareTarget.Confirmation? = nil,
        isLongLived: Bool = false, kind: ShareTarget.Kind = .directory
    ) {
        screen = ScriptedScreen(clock: helper.doubles.clock)
        let names = hosts.isEmpty ? ["github.com"] : hosts
        target = ShareTarget(
            name: ShareName(forDestination: "box"), kind: kind,
            hosts: names.compactMap { HostName(Array($0.utf8)) }.map {
                ShareTarget.Host($0, username: username.map { Array($0.utf8) })
            }, access: .token(TokenTerms(isLongLived: isLongLived)), confirmation: confirmation)
    }

    /// The reasons for which the target got nothing, in order.
    var refusals: [ShareRefusal] {
        events.compactMap { if case .refused(let refusal, _, _) = $0 { refusal } else { nil } }
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

    /// Lets the process of a gateway's connection ask.
    func ask(_ message: GatewayMessage, under policy: GatewayPolicy) -> GatewayToken? {
        var gateway = GatewayResponder(under: policy, responder)
        let answer = gateway.answer(
            message.encoded, from: SharePeer(process: 1, user: 1_000), arrivedAt: doubles.clock.uptimeMilliseconds,
            whileWaiting: {})
        return answer.flatMap { GatewayToken(parsing: $0) }
    }

    /// Lets time go by, and the listener look at the screen.
    func wait(minutes: Int64) {
        doubles.clock.advance(milliseconds: minutes * 60_000)
        responder.watchScreen()
    }

    /// Whether the process has to stay for the person's yes.
    var isHolding: Bool { responder.isHolding }
}
