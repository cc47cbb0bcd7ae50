import Staging
import Testing

@Suite("share --confirm at a desktop")
struct SharedBoxTests {
    private struct Stage {
        let fixture: EndToEndFixture
        let desktop: ScriptedDesktop
        let saver: ScriptedBusService
        let box: SharedBox

        var request: [UInt8] { SharedBox.text("get", ["protocol=https", "host=\(fixture.host)"]) }
    }

    private func stage(_ confirmation: String) async throws -> Stage {
        let fixture = try await EndToEndFixture(app: Service.gitHub.refreshingApp(interval: 1))
        try await fixture.signedIn("monalisa", expiringIn: 7_200)
        return Stage(
            fixture: fixture, desktop: try await ScriptedDesktop(in: fixture.session),
            saver: try await ScriptedBusService(.screenSaver, "open", in: fixture.session),
            box: try await SharedBox(fixture, "--confirm", confirmation))
    }

    /// A gateway of monalisa's that asks at the desktop, whose screen is open.
    private func gateway(_ confirmation: String) async throws
        -> (fixture: EndToEndFixture, desktop: ScriptedDesktop, saver: ScriptedBusService, gateway: GatewayBox)
    {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let desktop = try await ScriptedDesktop(in: fixture.session)
        let saver = try await ScriptedBusService(.screenSaver, "open", in: fixture.session)
        return (fixture, desktop, saver, try await GatewayBox(fixture, "--confirm", confirmation))
    }

    @Test("asks once for concurrent requests, and never for later ones, until the screen locks")
    func once() async throws {
        let stage = try await stage("once")
        let clients = try (0..<8).map { _ in try SocketClient(to: stage.box.socket, sending: stage.request) }
        let question = try await stage.desktop.notification()
        #expect(question.summary == "Give your \(stage.fixture.host) credentials to \"box\"?")
        #expect(question.body?.contains("Account: monalisa") == true)
        try await stage.desktop.person("press allow")
        for client in clients { #expect(try await client.answer().contains("password=")) }
        #expect(try await stage.box.send(stage.request).contains("password="))
        #expect(try stage.desktop.notifications.count == 1)
        // The answer is valid until the screen locks.
        stage.saver.tell("locked")
        try await eventually("a locked screen") { stage.saver.lines.isEmpty ? nil : true }
        #expect(try await stage.box.send(stage.request) == "quit=1\n")
        stage.saver.tell("open")
        try await eventually("an open screen") { stage.saver.lines.count == 2 ? true : nil }
        async let answer = stage.box.send(stage.request)
        try await stage.desktop.notification(2, then: "press allow")
        #expect(try await answer.contains("password="))
    }

    @Test("asks for each request, but once for concurrent ones")
    func each() async throws {
        let stage = try await stage("each")
        let clients = try (0..<4).map { _ in try SocketClient(to: stage.box.socket, sending: stage.request) }
        try await stage.desktop.notification()
        // A request that arrives while the question is shown.
        let late = try SocketClient(to: stage.box.socket, sending: stage.request)
        try await eventually("a request that is taken in") { late.isRead ? true : nil }
        try await stage.desktop.person("press allow")
        for client in clients { #expect(try await client.answer().contains("password=")) }
        #expect(try await late.answer().contains("password="))
        #expect(try stage.desktop.notifications.count == 1)
        async let next = stage.box.send(stage.request)
        try await stage.desktop.notification(2, then: "press allow")
        #expect(try await next.contains("password="))
    }

    @Test("answers quit=1 to all waiting requests after a no, and does not ask again soon")
    func no() async throws {
        let stage = try await stage("once")
        let clients = try (0..<3).map { _ in try SocketClient(to: stage.box.socket, sending: stage.request) }
        try await stage.desktop.notification(then: "press deny")
        for client in clients { #expect(try await client.answer() == "quit=1\n") }
        #expect(try await stage.box.send(stage.request) == "quit=1\n")
        #expect(try stage.desktop.notifications.count == 1)
        #expect(try await stage.box.interrupt().output.contains("you denied it"))
    }

    @Test("asks before each push through a gateway and for nothing else; a no becomes git's own error")
    func gateway() async throws {
        let (fixture, desktop, saver, gateway) = try await gateway("each")
        try await gateway.clone()
        #expect(try desktop.notifications.isEmpty)
        for number in 1...2 {
            async let pushed = gateway.push(to: "agent/\(number)")
            let question = try await desktop.notification(number)
            #expect(question.summary == "Let \"agent\" push agent/\(number) to acme/private on \(fixture.host)?")
            try await desktop.person("press allow")
            #expect(try await pushed.status == 0)
        }
        async let refused = gateway.push(to: "agent/3")
        try await desktop.notification(3, then: "press deny")
        let end = try await refused
        let words = "(gitspace: not allowed; see why where it is shared)"
        #expect(
            end.status == 1 && end.errors.contains("! [remote rejected]") && end.errors.contains(words), "\(end.errors)"
        )
        #expect(fixture.github.count(of: .gitPush) == 2)
        withExtendedLifetime(saver) {}
    }

    @Test("allows one push after a yes, though another one uses the same connection")
    func secondPush() async throws {
        let (fixture, desktop, saver, gateway) = try await gateway("each")
        for name in ["one", "two"] { _ = try fixture.github.git(["branch", name, "main"], in: "acme/private") }
        let path = "/\(fixture.host)/acme/private/git-receive-pack"
        let client = try gateway.start(
            """
            head=$(git ls-remote \(fixture.address()) refs/heads/main | cut -c1-40)
            for name in one two; do
                line="$head 0000000000000000000000000000000000000000 refs/heads/$name"
                printf '%04x%s\\0report-status0000' $((${#line} + 18)) "$line" >$name
            done
            set -- --silent --proxy 'socks5h://localhost\(gateway.box.socket)' --write-out '%{num_connects} made\\n' \
                --header 'Content-Type: application/x-git-receive-pack-request' 'http://gitspace.invalid\(path)' \
                --data-binary
            curl --disable "$@" @one --next "$@" @two
            """)
        for number in 1...2 { try await desktop.notification(number, then: "press allow") }
        let end = try await client.ended()
        #expect(end.output.contains("ok refs/heads/one") && end.output.contains("ok refs/heads/two"), "\(end)")
        #expect(end.output.contains("1 made\n") && end.output.contains("0 made\n"), "\(end.output)")
        withExtendedLifetime(saver) {}
    }

    @Test("allows one push of twelve that wait during the question, half of them to another repository")
    func manyPushes() async throws {
        let (fixture, desktop, saver, gateway) = try await gateway("each")
        try fixture.github.createRepository("acme/other", writers: ["monalisa"])
        let repositories = ["acme/private", "acme/other"]
        var pushes: [(repository: String, bytes: [UInt8])] = []
        for repository in repositories {
            let head = String(try fixture.github.git(["rev-parse", "main"], in: repository).dropLast())
            for number in 1...6 {
                _ = try fixture.github.git(["branch", "x\(number)", "main"], in: repository)
                let command = PlaceConnection.deletion(of: "refs/heads/x\(number)", at: head)
                pushes.append((repository, PlaceConnection.push([command])))
            }
        }
        var places: [PlaceConnection] = []
        for push in pushes {
            let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
            place.post(push.bytes, to: "git-receive-pack", in: push.repository)
            places.append(place)
        }
        let question = try await desktop.notification()
        #expect(question.summary?.hasPrefix("Let \"agent\" push x") == true)
        #expect(question.summary?.contains(" to acme/") == true)
        for place in places { try await eventually("a push that is read") { place.client.isRead ? true : nil } }
        try await desktop.person("press allow")
        try await desktop.notification(2, then: "press deny")
        for place in places { _ = try await place.client.received(upTo: " refs/heads/x") }
        let left = try repositories.map { try fixture.github.git(["branch", "--list", "x*"], in: $0) }.joined()
        #expect(left.split(separator: "\n").count == 11 && fixture.github.count(of: .gitPush) == 1, "\(left)")
        withExtendedLifetime(saver) {}
    }

    @Test("once: behind a locked screen, a connection that is open can neither fetch nor push")
    func lockedWhileOpen() async throws {
        let (fixture, desktop, saver, gateway) = try await gateway("once")
        let place = try await PlaceConnection(to: gateway.box, host: fixture.host)
        for service in ["git-upload-pack", "git-receive-pack"] {
            place.discover(service)
            if service == "git-upload-pack" { try await desktop.notification(then: "press allow") }
            _ = try await place.client.received(upTo: "0000\r\n0\r\n\r\n")
        }
        let before = fixture.github.count(of: .gitFetch) + fixture.github.count(of: .gitPush)
        saver.tell("locked")
        try await eventually("a locked screen") { saver.lines.isEmpty ? nil : true }
        let head = String(try fixture.github.git(["rev-parse", "main"], in: "acme/private").dropLast())
        place.post(
            PlaceConnection.push([PlaceConnection.deletion(of: "refs/heads/main", at: head)]), to: "git-receive-pack")
        _ = try await place.client.received(upTo: "ng refs/heads/main ")
        place.post(PlaceConnection.packet("want \(head)\n"), to: "git-upload-pack")
        #expect(try await place.client.received(upTo: "gitspace: ").contains("403"))
        #expect(fixture.github.count(of: .gitFetch) + fixture.github.count(of: .gitPush) == before)
        #expect(try await gateway.box.interrupt().output.contains("the screen is locked"))
    }

    @Test("asks nobody about a request that the target may not make")
    func nothing() async throws {
        let stage = try await stage("each")
        #expect(try await stage.box.ask("get", "protocol=https", "host=other.example").isEmpty)
        let other = try await stage.box.ask("get", "protocol=https", "host=\(stage.fixture.host)", "username=bob")
        #expect(other == "quit=1\n")
        #expect(try stage.desktop.calls.isEmpty)
    }

    @Test("removes the question when it is stopped")
    func stop() async throws {
        let stage = try await stage("once")
        let client = try SocketClient(to: stage.box.socket, sending: stage.request)
        let question = try await stage.desktop.notification()
        _ = try await stage.box.interrupt()
        #expect(try await stage.desktop.withdrawal().number == question.number)
        #expect(try await client.answer().contains("password=") == false)
    }
}
