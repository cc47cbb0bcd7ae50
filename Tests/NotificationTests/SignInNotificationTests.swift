import CredentialCore
import Glibc
import Helper
import Providers
import Staging
import Testing
import UserInterface

@Suite("The sign-in notification")
struct SignInNotificationTests {
    private static let nobody = [UserFacingError.nobodyHere(host: "github.com", because: nil)]
    private static let unanswered = [
        UserFacingError.signIn(.unanswered, host: "github.com", clientID: "Iv1.0123456789abcdef")
    ]

    @Test(
        "performs each button's action once, but not another program's, and keeps the code readable",
        arguments: [("open", "open https://github.com/login/device?a=1&b=2"), ("copy", "copy WDJB-MJHT")])
    func pressed(button: String, effect: String) async throws {
        let desktop = try await ScriptedDesktop()
        let fixture = NotificationFixture(desktop.session)
        async let end = fixture.get()
        try await desktop.notification(then: "press open 99")
        try await desktop.person("press \(button)")
        try await eventually("an effect") { fixture.used.first }
        // The press may come as two signals.
        for key in [button, button == "open" ? "copy" : "open"] { try await desktop.person("press \(key)") }
        try await eventually("the other effect") { fixture.used.count > 1 ? true : nil }
        fixture.provider.approve()
        #expect(try await end.output.contains("gho_16C7"))
        #expect(fixture.used.first == effect && fixture.used.count == 2)
        #expect(try desktop.notifications.map(\.summary).last == "Signed in as octocat")
        #expect(try desktop.notifications.count == 2)
    }

    @Test("shows the notification again if a button closed it, and then lets the person close it")
    func forgetful() async throws {
        let desktop = try await ScriptedDesktop(.forgetful)
        let fixture = NotificationFixture(desktop.session)
        async let end = fixture.get()
        try await desktop.notification(then: "press default")
        let again = try await desktop.notification(2)
        #expect(again.replaced == 0 && again.body?.contains("WDJB-MJHT") == true)
        // Later than a close that the button itself may cause.
        fixture.pass(milliseconds: 60_000)
        try await desktop.person("dismiss")
        try await twoPolls(fixture)
        fixture.provider.approve()
        #expect(try await end.output.contains("gho_16C7"))
        #expect(fixture.used.count == 1)
        #expect(try desktop.notifications.map(\.urgency) == [2, 2, 1])
    }

    @Test("shows a plain text if the service has no buttons and no markup")
    func plain() async throws {
        let desktop = try await ScriptedDesktop(.plain)
        _ = try await NotificationFixture(desktop.session) { $0.patienceMilliseconds = 200 }.get()
        let shown = try await desktop.notification()
        #expect(shown.actions?.isEmpty == true)
        // The line in between names the program that runs the tests.
        let lines = (shown.body ?? "").split(separator: "\n")
        #expect(
            lines.filter { !$0.hasPrefix("Asked by: ") } == [
                "WDJB-MJHT", "Enter this code on https://github.com/login/device?a=1&b=2",
                "Only if you started this yourself.",
            ])
        #expect(lines.count == 4)
    }

    @Test("prints one line if nobody answers, removes the notification, and shows no other one for a while")
    func unanswered() async throws {
        let desktop = try await ScriptedDesktop()
        let end = try await NotificationFixture(desktop.session) { $0.patienceMilliseconds = 200 }.get()
        #expect(end.output == "quit=1\n" && end.failures == Self.unanswered)
        // With markup, special characters of the text are escaped.
        let shown = try await desktop.notification()
        #expect(shown.body?.hasPrefix("<b>WDJB-MJHT</b>\nEnter this code on https://") == true)
        #expect(shown.body?.contains("?a=1&amp;b=2\n") == true)
        #expect(try await desktop.withdrawal().number == shown.number)

        let next = NotificationFixture(desktop.session) { $0.patienceMilliseconds = 200 }
        let answer = try await next.get()
        #expect(answer.output.isEmpty && answer.failures.map(\.code) == [.shortlyRefused])
        #expect(next.provider.requests == 0)
        #expect(try desktop.notifications.count == 1)

        let later = NotificationFixture(desktop.session) { limits in
            limits.patienceMilliseconds = 200
            limits.silenceSeconds = 0
        }
        #expect(try await later.get().failures == Self.unanswered)
        #expect(try desktop.notifications.count == 2)
    }

    @Test("does not count an expired notification as declined, since the code may have been read")
    func expired() async throws {
        let desktop = try await ScriptedDesktop()
        let fixture = NotificationFixture(desktop.session)
        async let end = fixture.get()
        try await desktop.notification(then: "expire")
        try await twoPolls(fixture)
        fixture.provider.approve()
        #expect(try await end.output.contains("gho_16C7"))
    }

    @Test("treats a hanging service as missing, without a long wait", arguments: [ScriptedDesktop.Mode.silent, .stuck])
    func hanging(mode: ScriptedDesktop.Mode) async throws {
        let desktop = try await ScriptedDesktop(mode)
        let fixture = NotificationFixture(desktop.session) { limits in
            if mode == .silent { limits.searchMilliseconds = 300 } else { limits.showMilliseconds = 300 }
        }
        let end = try await fixture.get()
        #expect(end.output.isEmpty && end.failures == Self.nobody)
        #expect(fixture.provider.requests == (mode == .silent ? 0 : 1))
        // GDBus itself would wait for 25 seconds.
        #expect(fixture.looks < 100)
        if mode == .stuck { try await desktop.notification() }
        #expect(try desktop.calls.count <= 1)
        // Nothing was closed, so the next sign-in gets the same error.
        let next = NotificationFixture(desktop.session) { limits in
            limits.searchMilliseconds = 300
            limits.showMilliseconds = 300
        }
        #expect(try await next.get().failures == Self.nobody)
    }

    @Test("treats a bus that does not answer as missing")
    func deafBus() async throws {
        let session = try await Session(.noBus)
        let path = session.home + "/deaf"
        let deaf = try SilentSocket(at: path)
        defer { withExtendedLifetime(deaf) {} }
        let end = try await NotificationFixture(session, onBus: "unix:path=" + path) { $0.searchMilliseconds = 300 }
            .get()
        #expect(end.failures == Self.nobody)
    }

    /// Waits for two polls; between them, the sign-in notices what has happened to its notification.
    private func twoPolls(_ fixture: NotificationFixture) async throws {
        let polls = fixture.provider.polls
        try await eventually("two polls") { fixture.provider.polls >= polls + 2 ? true : nil }
    }

    @Test("says that nobody can be asked without a service or bus", arguments: [Session.Kind.noProvider, .deadAddress])
    func absent(kind: Session.Kind) async throws {
        let fixture = try await NotificationFixture(Session(kind))
        let end = try await fixture.get()
        #expect(end.output.isEmpty && end.failures == Self.nobody && fixture.provider.requests == 0)
    }

    @Test(
        "reports that nobody can be asked on another user's bus",
        .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)))
    func stranger() async throws {
        let session = try await Session(startedBy: [
            "as-user.sh", "12345", BuiltFiles.script("with-keyring.sh"), "--open-bus",
        ])
        let desktop = try await ScriptedDesktop(.full, in: session)
        let fixture = NotificationFixture(session)
        fixture.provider.approve()
        #expect(try await fixture.get().failures == Self.nobody)
        #expect(try desktop.calls.isEmpty)
    }

    @Test(
        "shows a concurrent sign-in after the first one for its whole time, or not if the first was dismissed",
        arguments: [false, true])
    func oneAtATime(isDismissed: Bool) async throws {
        let desktop = try await ScriptedDesktop()
        let patience: Int64 = isDismissed ? 60_000 : 600_000
        let fixtures = (1...2).map { _ in NotificationFixture(desktop.session) { $0.patienceMilliseconds = patience } }
        async let first = fixtures[0].get()
        try await desktop.notification()
        async let second = fixtures[1].get()
        try await eventually("a wait for the turn") { fixtures[1].looks > 20 }
        if isDismissed {
            try await desktop.person("dismiss")
        } else {
            fixtures[1].pass(milliseconds: 650_000)
            fixtures[0].provider.approve()
            try await desktop.notification(3)
            fixtures[1].pass(milliseconds: 400_000)
            try await twoPolls(fixtures[1])
            fixtures[1].provider.approve()
        }
        #expect(try await (first.failures + second.failures).isEmpty == !isDismissed)
        // The second one begins after the first has ended and shown its result.
        #expect(try desktop.notifications.map(\.urgency) == (isDismissed ? [2] : [2, 1, 2, 1]))
    }

    @Test("gives the person the whole time after a pause that the server asked for")
    func busyServer() async throws {
        let desktop = try await ScriptedDesktop()
        let fixture = NotificationFixture(desktop.session) { $0.patienceMilliseconds = 180_000 }
        fixture.provider.postpone(seconds: 100)
        async let end = fixture.get()
        let before = try await eventually("a request") { fixture.provider.requests > 0 ? fixture.looks : nil }
        try await eventually("the pause") { fixture.looks > before + 20 ? true : nil }
        fixture.pass(milliseconds: 100_000)
        try await desktop.notification()
        fixture.pass(milliseconds: 120_000)
        try await twoPolls(fixture)
        fixture.provider.approve()
        #expect(try await end.failures.isEmpty)
    }
}

@Suite("The page at the end of a sign-in")
struct RedirectPageTests {
    @Test("shows a server's text as text, never as markup")
    func escaped() async throws {
        let redirect = try LoopbackListener(at: RedirectAddress(.loopbackAddress, path: "/"))
        let client = try SocketClient(toPort: redirect.port)
        client.send(Array("GET /?error=e HTTP/1.1\r\nHost: 127.0.0.1:\(redirect.port)\r\n\r\n".utf8))
        try await eventually("the request") { redirect.next { _ in true } == nil ? nil : true }
        let error = UserFacingError.signIn(.refused("<script>\"\u{301}&"), host: "git.example", clientID: "c")
        redirect.show(.failed(host: "<script>.example", error))
        let page = try await client.answer()
        #expect(page.contains("&lt;script&gt;&quot;\u{301}&amp;") && !page.contains("<script"), "\(page)")
    }
}
