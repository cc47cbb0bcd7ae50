import CredentialCore
import Helper
import Messages
import TestSupport
import Testing

/// Where nobody can see a code, none is requested: one line says why, and git may go on.
@Suite("get: nobody is here to sign in")
struct NobodyHereTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    /// What was complained of; no code was requested, no lock taken, and git may go on.
    private func errors() throws -> [UserFacingError] {
        #expect(try helper.get().isEmpty)
        #expect(doubles.transport.requests.isEmpty && doubles.locks.wanted.isEmpty && doubles.ui.prompts.isEmpty)
        return doubles.errors
    }

    @Test(
        "a setting of the environment forbids it, and is named",
        arguments: [
            ("GIT_TERMINAL_PROMPT", "0", "GIT_TERMINAL_PROMPT=0"), ("GCM_INTERACTIVE", "never", "GCM_INTERACTIVE"),
            ("CI", "true", "CI"), ("VSCODE_GIT_FETCH_SILENT", "1", "VSCODE_GIT_FETCH_SILENT"),
        ] as [(String, String, DisplayText)])
    func environment(variable: String, value: String, setting: DisplayText) throws {
        doubles.environment[variable] = value
        doubles.ui.canBeReached = false
        #expect(try errors() == [.nobodyHere(host: "github.com", because: setting)])
    }

    @Test("who has just sent a notification away is told so, and until when none is shown")
    func sentAway() throws {
        doubles.ui.canBeReached = false
        doubles.ui.secondsOfSilence = 420
        #expect(try errors() == [.sentAway(host: "github.com", as: nil, until: RecordingClock.start + 420)])
        let end = LocalTime.text(RecordingClock.start + 420)
        #expect(
            doubles.errors.first?.text.english
                == "not signed in to github.com: the last sign-in notification was closed or not answered, "
                + "so none is shown until \(end)")
        // What forbids a sign-in would forbid the next one as well.
        doubles.environment["CI"] = "true"
        #expect(try errors().last == .nobodyHere(host: "github.com", because: "CI"))
    }

    @Test(
        "at a terminal, what binds us and not git ends it: git's own prompt would hang where nobody answers",
        arguments: ["CI", "GCM_INTERACTIVE", "VSCODE_GIT_FETCH_SILENT"])
    func atTerminal(variable: String) throws {
        doubles.environment[variable] = variable == "GCM_INTERACTIVE" ? "never" : "1"
        #expect(try helper.get() == "quit=1\n")
        doubles.environment["GIT_ASKPASS"] = "/usr/bin/answer"
        #expect(try helper.get().isEmpty)
        doubles.environment["GIT_ASKPASS"] = nil
        doubles.ui.canBeReached = false
        #expect(try helper.get().isEmpty)
    }

    @Test(
        "a program that answers for the person is asked by git, which then does not hang: the first that is named",
        arguments: [
            // GIT_ASKPASS, core.askPass, SSH_ASKPASS; whether git asks a program.
            ("/bin/ask", nil, nil, true), (nil, "/bin/ask", nil, true), (nil, nil, "/bin/ask", true),
            // An empty one means the terminal, whatever comes behind it (git's prompt.c).
            ("", "/bin/ask", "/bin/ask", false), (nil, "", "/bin/ask", false), (nil, nil, "", false),
        ] as [(String?, String?, String?, Bool)])
    func askPass(git: String?, core: String?, ssh: String?, asksProgram: Bool) throws {
        doubles.environment["CI"] = "1"
        doubles.environment["GIT_ASKPASS"] = git
        doubles.environment["SSH_ASKPASS"] = ssh
        if let core { doubles.configure("core", nil, "askPass", core) }
        #expect(try helper.get() == (asksProgram ? "" : "quit=1\n"))
    }

    @Test("so does git's configuration")
    func configuration() throws {
        doubles.configure("credential", nil, "interactive", "false")
        #expect(try errors() == [.nobodyHere(host: "github.com", because: "credential.interactive=false")])
    }

    @Test("so does gitspaceFlow=none")
    func deviceFlow() throws {
        doubles.configure("credential", nil, "gitspaceFlow", "none")
        #expect(try errors() == [.nobodyHere(host: "github.com", because: "gitspaceFlow=none")])
    }

    @Test("so does the want of anything to show a code on")
    func unreachable() throws {
        doubles.ui.canBeReached = false
        #expect(try errors() == [.nobodyHere(host: "github.com", because: nil)])
    }

    @Test("without a client ID the person learns how to get one")
    func noClientID() throws {
        doubles.builtInClientID = nil
        #expect(try errors() == [.noClientID(host: "github.com")])
    }

    @Test("a stored token is answered all the same", arguments: ["GIT_TERMINAL_PROMPT", "CI", "GCM_INTERACTIVE"])
    func stored(variable: String) throws {
        doubles.environment[variable] = variable == "CI" ? "1" : "0"
        doubles.ui.canBeReached = false
        helper.brought("ghp_1")
        #expect(try helper.get().contains("ghp_1"))
        #expect(doubles.errors.isEmpty)
    }

    @Test("where git's configuration names an account that is not signed in, the one that is can be chosen")
    func otherSignedIn() throws {
        doubles.configure("credential", "https://github.com", "username", "mona")
        doubles.ui.canBeReached = false
        doubles.keyring.put(StoredCredential(username: Array("bob".utf8), password: Secret("gho_b")), for: "github.com")
        #expect(try helper.run(.get, "protocol=https\nhost=github.com\nusername=mona").isEmpty)
        #expect(
            doubles.errors.last?.hints.map(\.english).suffix(2) == [
                "or have git use bob:", "  git credential-gitspace switch github.com bob",
            ])
    }
}
