import Desktop
import Helper
import OAuth
import Staging
import TestSupport
import Testing

/// The story in front of a notification service that does what it is told to.
@Suite("The notification")
struct StoryTests {
    private static let nobody = Complaint.nobodyHere(host: "github.com", because: nil)

    /// A story in which nobody waits for long.
    private func story(_ session: Session, _ change: (inout NotificationLimits) -> Void = { _ in }) -> Story {
        var limits = NotificationLimits()
        change(&limits)
        return Story(session: session, limits: limits)
    }

    private static func unanswered() -> Complaint {
        .signIn(.unanswered, host: "github.com", clientID: "Iv1.0123456789abcdef")
    }

    @Test("a button opens the page, and the code stays where it can be read")
    func opened() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        async let end = story(session).get(GitHubAnswers.oauthAppToken, GitHubAnswers.user("octocat"))
        try await desktop.notification()
        desktop.person("press open")
        #expect(try await end.opened == ["https://github.com/login/device?a=1&b=2"])
        #expect(try await end.output.contains("gho_16C7"))
        let shown = try desktop.notifications
        #expect(shown.count == 2 && shown.last?.summary == "Signed in as octocat")
    }

    @Test("where the button takes the notification away, it comes back, and may then be sent away")
    func forgetful() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.forgetful, in: session)
        let story = story(session) { $0.afterActionMilliseconds = 400 }
        async let end = story.get(
            GitHubAnswers.pending, GitHubAnswers.oauthAppToken, GitHubAnswers.user("octocat"))
        try await desktop.notification()
        desktop.person("press default")
        let again = try await desktop.notification(2)
        #expect(again.replaced == 0 && again.body?.contains("WDJB-MJHT") == true)
        try await Task.sleep(for: .milliseconds(500))
        desktop.person("dismiss")
        #expect(try await end.output.contains("gho_16C7"))
        #expect(try await end.opened.count == 1)
        #expect(try desktop.notifications.map(\.urgency) == [2, 2, 1])
    }

    @Test("without buttons and markup the text says it all, as it is")
    func plain() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.plain, in: session)
        let end = try await story(session) { $0.patienceMilliseconds = 200 }.get()
        #expect(end.complaints == [Self.unanswered()])
        let shown = try #require(try desktop.notifications.first)
        #expect(shown.actions?.isEmpty == true)
        #expect(
            shown.body == """
                WDJB-MJHT
                Enter this code on https://github.com/login/device?a=1&b=2
                Only if you started this yourself.
                """)
    }

    @Test("with markup, what is text stays text")
    func markup() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        _ = try await story(session) { $0.patienceMilliseconds = 200 }.get()
        let body = try await desktop.notification().body
        #expect(body?.hasPrefix("<b>WDJB-MJHT</b>\nEnter this code on https://") == true)
        #expect(body?.contains("?a=1&amp;b=2\n") == true)
    }

    @Test("nobody answers: one line, nothing is left on the screen, and the next one is not shown for a while")
    func unanswered() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        let hasty = story(session) { $0.patienceMilliseconds = 200 }
        let end = try await hasty.get()
        #expect(end.output == "quit=1\n" && end.complaints == [Self.unanswered()])
        #expect(try await desktop.withdrawal().number == 1)

        let next = try await hasty.get()
        #expect(next.output.isEmpty && next.complaints == [Self.nobody] && next.requests == 0)
        #expect(try desktop.notifications.count == 1)
        // The while is over.
        _ = try await story(session) {
            $0.patienceMilliseconds = 200; $0.silenceSeconds = 0
        }.get()
        #expect(try desktop.notifications.count == 2)
    }

    @Test("one whose time is over is no refusal: the code may have been read")
    func expired() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        async let end = story(session).get(GitHubAnswers.oauthAppToken, GitHubAnswers.user("octocat"))
        try await desktop.notification()
        desktop.person("expire")
        #expect(try await end.output.contains("gho_16C7"))
    }

    @Test("a service that hangs is as good as none, and soon", arguments: [ScriptedDesktop.Mode.silent, .stuck])
    func hanging(mode: ScriptedDesktop.Mode) async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(mode, in: session)
        let story = story(session) {
            $0.searchMilliseconds = 300
            $0.showMilliseconds = 300
        }
        let begun = ContinuousClock.now
        let end = try await story.get()
        #expect(end.output.isEmpty && end.complaints == [Self.nobody])
        #expect(end.requests == (mode == .silent ? 0 : 1))
        // GDBus itself would wait for 25 seconds.
        #expect(ContinuousClock.now - begun < .seconds(15))
        _ = desktop
    }

    @Test("a bus that takes no part in the conversation is as good as none")
    func deafBus() async throws {
        let session = try await Session(.noBus)
        let path = session.home + "/deaf"
        let deaf = try session.start(["python3", "-c", Self.deafBus, path])
        try await eventually("a socket") { deaf.outputText == "ready\n" ? true : nil }
        let end = try await story(session) { $0.searchMilliseconds = 300 }.get(onBus: "unix:path=" + path)
        #expect(end.complaints == [Self.nobody])
    }

    /// Listens, and says nothing.
    private static let deafBus = """
        import socket, sys, time
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(sys.argv[1])
        listener.listen()
        print("ready", flush=True)
        time.sleep(60)
        """

    @Test("without a service, or without a bus, nobody is there", arguments: [Session.Kind.noProvider, .deadAddress])
    func absent(kind: Session.Kind) async throws {
        let end = try await story(Session(kind)).get()
        #expect(end.output.isEmpty && end.complaints == [Self.nobody] && end.requests == 0)
    }

    @Test("two sign-ins at once are shown one after the other")
    func oneAtATime() async throws {
        let session = try await Session(.noProvider)
        let desktop = try await ScriptedDesktop(.full, in: session)
        async let first = story(session).get(GitHubAnswers.oauthAppToken, GitHubAnswers.user("octocat"))
        async let second = story(session).get(GitHubAnswers.oauthAppToken, GitHubAnswers.user("octocat"))
        #expect(try await (first.complaints + second.complaints).isEmpty)
        // The second begins where the first one has ended: with words that say so.
        #expect(try desktop.notifications.map(\.urgency) == [2, 1, 2, 1])
    }
}
