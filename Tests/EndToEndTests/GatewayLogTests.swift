import Staging
import Testing

/// The person's log must have every action of a place, and nothing else.
@Suite("share: log of a gateway with a place that hides its actions")
struct GatewayLogTests {
    private static let zero = String(repeating: "0", count: 40)

    private static func head(_ fixture: EndToEndFixture) throws -> String {
        String(try fixture.github.git(["rev-parse", "main"], in: "acme/private").dropLast())
    }

    /// A gateway to a repository with the branch x; its host answers pushes in this way.
    private static func gateway(_ answer: ScriptedAnswer? = nil) async throws -> (EndToEndFixture, GatewayBox) {
        let (fixture, gateway) = try await GatewayTests.gateway()
        _ = try fixture.github.git(["branch", "x", "main"], in: "acme/private")
        if let answer { fixture.github.answer(.gitPush, with: answer) }
        return (fixture, gateway)
    }

    /// Sends the deletion of the branch x, which has reached the host on return; the sender closes with the result.
    private static func deleting(in gateway: GatewayBox, of fixture: EndToEndFixture) async throws -> PlaceConnection {
        let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
        let command = PlaceConnection.deletion(of: "refs/heads/x", at: try head(fixture))
        place.post(PlaceConnection.push([command]), to: "git-receive-pack")
        try await fixture.github.waitForRequests(1, to: .gitPush)
        return place
    }

    private static let uncertain = "agent: uncertain whether the server took a push to x on acme/private"

    @Test("reports a push as uncertain if its process is killed")
    func killed() async throws {
        let (fixture, gateway) = try await Self.gateway(.silence)
        let place = try await Self.deleting(in: gateway, of: fixture)
        #expect(try await fixture.gitspace("share", "list").output.contains(": pushing x to acme/private."))
        kill(try await gateway.connectionProcess(), SIGKILL)
        try await gateway.logs(Self.uncertain)
        let list = try await fixture.gitspace("share", "list").output
        #expect(list.contains(": a push of x to acme/private, whose outcome is uncertain."))
        withExtendedLifetime(place) {}
    }

    /// The host's answers after the sender has closed, and the line for each.
    private static let ends: [(ScriptedAnswer, String)] = [
        (.lost, uncertain), (.silence, uncertain + ": the place has closed its connection"),
        (.late(by: .milliseconds(500)), "agent: deleted x on acme/private"),
    ]

    @Test("reports a push as uncertain if its sender closes unanswered, or else the server's result", arguments: ends)
    func closed(answer: ScriptedAnswer, line: String) async throws {
        let (fixture, gateway) = try await Self.gateway(answer)
        _ = try await Self.deleting(in: gateway, of: fixture)
        try await gateway.logs(line)
    }

    @Test("reports a push as uncertain if the share ends meanwhile")
    func stopped() async throws {
        let (fixture, gateway) = try await Self.gateway(.silence)
        let place = try await Self.deleting(in: gateway, of: fixture)
        let end = try await gateway.box.interrupt()
        #expect(end.output.contains(Self.uncertain), "\(end)")
        withExtendedLifetime(place) {}
    }

    @Test("names eight of ten refs in one push, and counts the other two")
    func manyRefs() async throws {
        let (_, gateway) = try await Self.gateway()
        try await gateway.clone()
        let refs = (1...10).map { "HEAD:agent/\($0)" }.joined(separator: " ")
        try await gateway.run("git push origin \(refs)", in: gateway.work).succeeded()
        try await gateway.logs("agent: pushed 2 more refs to acme/private")
        #expect(gateway.log.count { $0.hasPrefix("agent: pushed agent/") } == 8)
    }

    @Test("reports the accepted one of two names with the same first 120 characters as pushed")
    func longNames() async throws {
        let (fixture, gateway) = try await GatewayTests.gateway()
        let name = "agent/" + String(repeating: "x", count: 130)
        _ = try fixture.github.git(["branch", name + "1", "main"], in: "acme/private")
        _ = try fixture.github.git(["config", "receive.denyDeletes", "true"], in: "acme/private")
        try await gateway.clone()
        let end = try await gateway.run("git push origin :\(name)1 HEAD:\(name)2", in: gateway.work)
        #expect(end.status == 1, "\(end.errors)")
        try await gateway.logs("agent: the server rejected a push to agent/xxx")
        #expect(gateway.log.contains { $0.hasPrefix("agent: pushed agent/xxx") }, "\(gateway.log)")
    }

    @Test("reports a fetch that is closed before its end")
    func partOfFetch() async throws {
        let (fixture, gateway) = try await Self.gateway()
        let type = "application/x-git-upload-pack-result"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 100000\r\n\r\n"
        fixture.github.answer(.gitFetch, with: .raw(head + String(repeating: "x", count: 99_999), then: .hold))
        do {
            let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
            place.post(PlaceConnection.packet("want \(Self.zero)\n"), to: "git-upload-pack")
            _ = try await place.client.received(90_000)
        }
        try await gateway.logs("agent: fetched a part of acme/private")
    }

    @Test("reports and lists a second, different refusal within a minute, and one of an unshared repository")
    func refusals() async throws {
        let (fixture, _) = try await GatewayTests.fixture()
        let gateway = try await GatewayBox(fixture, "--repository", fixture.address(), "--branch", "agent/*").clone()
        for ref in ["main", "main", "release"] { #expect(try await gateway.push(to: ref).status == 1) }
        try await gateway.logs("agent: refused a push to release on acme/private: only agent/* may be pushed")
        #expect(gateway.log.count { $0.hasPrefix("agent: refused a push to main ") } == 1)
        let push = try await fixture.gitspace("share", "list").output
        #expect(push.contains("Last refusal: "), "\(push)")
        #expect(push.contains(", release on acme/private: it is no branch that may be pushed."), "\(push)")
        let other = try await PlaceConnection(to: gateway.box, host: fixture.host)
        other.discover(in: "acme/other")
        #expect(try await other.client.answer().contains("acme/other is not shared here"))
        try await gateway.logs("agent: refused acme/other: it is not shared")
        let list = try await fixture.gitspace("share", "list").output
        #expect(list.contains(", acme/other: it is not shared."), "\(list)")
    }

    @Test("does not report a push without a report as pushed if the server rejects it")
    func noReport() async throws {
        let (fixture, gateway) = try await Self.gateway()
        _ = try fixture.github.git(["config", "receive.denyDeletes", "true"], in: "acme/private")
        let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
        let command = PlaceConnection.deletion(of: "refs/heads/x", at: try Self.head(fixture))
        place.post(PlaceConnection.push([command], capabilities: "side-band-64k"), to: "git-receive-pack")
        _ = try await place.client.received(upTo: "0\r\n\r\n")
        try await gateway.logs(Self.uncertain)
        #expect(!gateway.log.contains { $0.contains("deleted") || $0.contains("pushed") }, "\(gateway.log)")
    }

    @Test("does not report an unreachable server if the client closes before the answer")
    func clientGone() async throws {
        let (fixture, gateway) = try await Self.gateway()
        do {
            let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
            place.post(PlaceConnection.packet("command=fetch\n"), to: "git-upload-pack", length: 5_000)
            try await eventually("a request that is read") { place.client.isRead }
            // The second piece is read while the request is being passed on.
            place.client.send(PlaceConnection.packet("want"))
            try await eventually("a second piece that is read") { place.client.isRead }
        }
        #expect(try await gateway.run("git ls-remote \(fixture.address("acme/none"))").status == 128)
        try await gateway.logs("agent: acme/none failed: the server has no such repository")
        #expect(!gateway.log.contains { $0.contains("cannot be reached") }, "\(gateway.log)")
    }

    @Test("ends a connection whose client closes while the host is silent, and reports no failure of the host")
    func clientGoneFromSilentHost() async throws {
        let (fixture, gateway) = try await Self.gateway()
        fixture.github.answer(.gitRefs, with: .silence)
        do {
            let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
            place.discover()
            try await fixture.github.waitForRequests(1, to: .gitRefs)
        }
        let parent = gateway.box.program.id
        try await eventually("the end of the connection's process", within: .seconds(20)) {
            try String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8).isEmpty ? true : nil
        }
        let end = try await gateway.box.interrupt()
        #expect(!end.output.contains("acme/private"), "\(end.output)")
    }

    @Test("shows a name in any script and both ends of an update, and escapes control bytes")
    func names() async throws {
        let (fixture, gateway) = try await Self.gateway()
        try await gateway.clone()
        let old = try Self.head(fixture).prefix(7)
        #expect(try await gateway.push(to: "agent/fix-ü").status == 0)
        try await gateway.logs("agent: pushed agent/fix-ü to acme/private (new, ")
        #expect(try await gateway.push(to: "main").status == 0)
        try await gateway.logs("agent: pushed main to acme/private (\(old)..")
        #expect(try await fixture.gitspace("share", "list").output.contains(": pushed agent/fix-ü to acme/private."))
        #expect(try await gateway.push(to: "agent/\u{202e}x").status == 0)
        try await gateway.logs("agent: pushed agent/\\xe2\\x80\\xaex to acme/private")
    }

    @Test("refuses fetches and pushes on an open connection after a logout")
    func loggedOut() async throws {
        let (fixture, gateway) = try await Self.gateway()
        let head = try Self.head(fixture)
        let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
        place.discover("git-receive-pack")
        _ = try await place.client.received(upTo: "0000\r\n0\r\n\r\n")
        try await fixture.gitspace("logout", fixture.host).succeeded()
        place.post(
            PlaceConnection.push([PlaceConnection.deletion(of: "refs/heads/x", at: head)]), to: "git-receive-pack")
        let answer = try await place.client.received(upTo: "ng refs/heads/x ")
        #expect(!answer.contains("ok refs/heads/x"), "\(answer)")
        place.post(PlaceConnection.packet("want \(head)\n"), to: "git-upload-pack")
        #expect(try await place.client.received(upTo: "gitspace: ").contains("403"))
        #expect(fixture.github.count(of: .gitPush) + fixture.github.count(of: .gitFetch) == 0)
        try await gateway.logs("no account is signed in")
    }
}
