import Helper
import Share
import Staging
import Testing
import UserInterface

/// The question whether a target may have a token.
@Suite("share: the question")
struct ShareQuestionTests {
    @Test("it names the share, the kind of its target, the host and the account, in our words, and has two buttons")
    func words() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        let fixture = ShareQuestionFixture(session)
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
        // Other requests are looked after while the person decides.
        try await eventually("a turn while waiting") { fixture.turnsWhileWaiting > 0 ? true : nil }
        try await desktop.person("press allow")
        #expect(await answer == nil)
        #expect(try await desktop.withdrawal().number == question.number)
    }

    @Test(
        "no is a no, and so is sending it away; the text itself is no button",
        arguments: [
            ("press deny", ShareRefusal.denied), ("dismiss", .denied), ("expire", .unanswered),
            ("press default", .unanswered),
        ])
    func no(act: String, refusal: ShareRefusal) async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        // Only the last one has to wait until the time is over.
        let fixture = ShareQuestionFixture(session) { limits in
            if act == "press default" { limits.questionMilliseconds = 5_000 }
        }
        async let answer = fixture.ask()
        try await desktop.notification()
        try await desktop.person(act)
        #expect(await answer == refusal)
    }

    @Test("no answer in time is a no, and nothing is left on the screen")
    func unanswered() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        #expect(await ShareQuestionFixture(session) { $0.questionMilliseconds = 200 }.ask() == .unanswered)
        #expect(try await desktop.withdrawal().number == desktop.notifications.first?.number)
        #expect(NotificationLimits().questionMilliseconds == 30_000)
    }

    @Test("without buttons nobody can say yes, so nothing is shown")
    func plain() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.plain, in: session)
        #expect(await ShareQuestionFixture(session).ask() == .nobodyToAsk)
        #expect(try desktop.notifications.isEmpty)
    }

    @Test("a service that hangs, and none, are a no", arguments: [ScriptedDesktop.Mode.silent, .stuck, nil])
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

    @Test("two questions are shown one after the other")
    func oneAtATime() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        async let first = ShareQuestionFixture(session).ask()
        async let second = ShareQuestionFixture(session).ask()
        try await desktop.notification()
        try await desktop.person("press allow")
        try await desktop.notification(2)
        #expect(
            try desktop.calls.map(\.call).prefix(5).filter { $0 != "GetCapabilities" }.prefix(3) == [
                "Notify", "CloseNotification", "Notify",
            ])
        try await desktop.person("press deny")
        let answers = await [first, second]
        #expect(answers.contains(nil) && answers.contains(.denied))
    }

    @Test("the screen's lock, as the desktop tells it; a service that hangs or is not there tells nothing")
    func lock() async throws {
        let session = try await Session(.noProvider)
        let fixture = ShareQuestionFixture(session)
        #expect(await fixture.isLocked() == nil)
        let saver = try await ScriptedBusService(.screenSaver, "open", in: session)
        #expect(await fixture.isLocked() == false)
        saver.tell("locked")
        try await eventually("a locked screen") { saver.lines == ["locked"] ? true : nil }
        #expect(await fixture.isLocked() == true)
        saver.tell("silent")
        try await eventually("a silent service") { saver.lines.count == 2 ? true : nil }
        #expect(await ShareQuestionFixture(session) { $0.lockMilliseconds = 300 }.isLocked() == nil)
    }

    @Test("a yes behind a screen that was locked meanwhile is none")
    func lockedMeanwhile() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        let saver = try await ScriptedBusService(.screenSaver, "open", in: session)
        async let answer = ShareQuestionFixture(session).ask()
        try await desktop.notification()
        saver.tell("locked")
        try await eventually("a locked screen") { saver.lines.isEmpty ? nil : true }
        try await desktop.person("press allow")
        #expect(await answer == .locked)
    }
}
