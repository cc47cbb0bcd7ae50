import Helper
import Share
import Staging
import Testing
import UserInterface

@Suite("The question of share --confirm")
struct ShareQuestionTests {
    @Test("names the share, the target's kind, the host and the account, with two translated buttons")
    func words() async throws {
        let desktop = try await ScriptedDesktop()
        let fixture = ShareQuestionFixture(desktop.session)
        async let answer = fixture.ask(kind: .ssh(destination: "dev<b>box<\u{338}i>"), username: "mona&lisa")
        let question = try await desktop.notification()
        #expect(question.summary == "Give your github.com credentials to \"box\"?")
        #expect(
            question.body == """
                A program on the SSH host dev&lt;b&gt;box&lt;\u{338}i&gt; asks for it.
                Account: mona&amp;lisa
                You are asked again after 8 hours, or when you lock the screen.
                """)
        #expect(question.actions == ["deny", "Deny", "allow", "Allow"])
        #expect(question.urgency == 2 && question.expiry == 0)
        // Other requests are served while the person decides.
        try await eventually("a turn while waiting") { fixture.turnsWhileWaiting > 0 ? true : nil }
        try await desktop.person("press allow")
        #expect(await answer == nil)
        #expect(try await desktop.withdrawal().number == question.number)
    }

    @Test(
        "takes No, a closed notification and a click on the text as no, and no other program's buttons as an answer",
        arguments: [
            ("press deny", ShareRefusal.denied), ("dismiss", .denied), ("expire", .unanswered),
            ("press default", .unanswered),
        ])
    func no(act: String, refusal: ShareRefusal) async throws {
        let desktop = try await ScriptedDesktop()
        let fixture = ShareQuestionFixture(desktop.session)
        async let answer = fixture.ask()
        try await desktop.notification(then: "press allow 99")
        try await desktop.person(act)
        if act == "press default" {
            let turns = fixture.turnsWhileWaiting
            try await eventually("two turns without an answer") { fixture.turnsWhileWaiting > turns + 1 }
            fixture.pass(milliseconds: 120_000)
        }
        #expect(await answer == refusal)
    }

    @Test("takes a missing answer as no, and removes the notification")
    func unanswered() async throws {
        let desktop = try await ScriptedDesktop()
        #expect(await ShareQuestionFixture(desktop.session) { $0.questionMilliseconds = 200 }.ask() == .unanswered)
        #expect(try await desktop.withdrawal().number == desktop.notifications.first?.number)
        #expect(NotificationLimits().questionMilliseconds == 30_000)
    }

    @Test("shows nothing if the service has no buttons")
    func plain() async throws {
        let desktop = try await ScriptedDesktop(.plain)
        #expect(await ShareQuestionFixture(desktop.session).ask() == .nobodyToAsk)
        #expect(try desktop.notifications.isEmpty)
    }

    @Test("takes a hanging or missing service as no", arguments: [ScriptedDesktop.Mode.silent, .stuck, nil])
    func absent(mode: ScriptedDesktop.Mode?) async throws {
        let session = try await Session(.noProvider)
        var desktop: ScriptedDesktop?
        if let mode { desktop = try await ScriptedDesktop(mode, in: session) }
        let fixture = ShareQuestionFixture(session) { limits in
            if mode == .silent { limits.searchMilliseconds = 300 } else { limits.showMilliseconds = 300 }
        }
        #expect(await fixture.ask() == .nobodyToAsk)
        withExtendedLifetime(desktop) {}
        #expect(await ShareQuestionFixture(nil).ask() == .nobodyToAsk)
    }

    @Test("shows two questions one after the other")
    func oneAtATime() async throws {
        let desktop = try await ScriptedDesktop()
        async let first = ShareQuestionFixture(desktop.session).ask()
        async let second = ShareQuestionFixture(desktop.session).ask()
        try await desktop.notification(then: "press allow")
        try await desktop.notification(2)
        #expect(
            try desktop.calls.map(\.call).prefix(5).filter { $0 != "GetCapabilities" }.prefix(3) == [
                "Notify", "CloseNotification", "Notify",
            ])
        try await desktop.person("press deny")
        let answers = await [first, second]
        #expect(answers.contains(nil) && answers.contains(.denied))
    }

    @Test("reads the desktop's screen lock from any service; a hanging or missing one counts as unknown")
    func lock() async throws {
        let session = try await Session(.noProvider)
        let fixture = ShareQuestionFixture(session)
        #expect(await fixture.isLocked() == nil)
        let saver = try await ScriptedBusService(.screenSaver, "open", in: session)
        #expect(await fixture.isLocked() == false)
        saver.tell("locked")
        try await eventually("a locked screen") { saver.lines == ["locked"] ? true : nil }
        #expect(await fixture.isLocked() == true)
        saver.tell("hinted")
        try await eventually("a lock that only logind knows") { saver.lines.count == 2 ? true : nil }
        #expect(await fixture.isLocked() == true)
        saver.tell("silent")
        try await eventually("a silent service") { saver.lines.count == 3 ? true : nil }
        #expect(await ShareQuestionFixture(session) { $0.lockMilliseconds = 300 }.isLocked() == nil)
    }

    @Test("refuses a yes if the screen was locked meanwhile")
    func lockedMeanwhile() async throws {
        let desktop = try await ScriptedDesktop()
        let saver = try await ScriptedBusService(.screenSaver, "open", in: desktop.session)
        async let answer = ShareQuestionFixture(desktop.session).ask()
        try await desktop.notification()
        saver.tell("locked")
        try await eventually("a locked screen") { saver.lines.isEmpty ? nil : true }
        try await desktop.person("press allow")
        #expect(await answer == .locked)
    }
}
