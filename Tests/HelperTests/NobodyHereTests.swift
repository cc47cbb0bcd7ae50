import TestSupport
import Testing

@Suite("get: no person to sign in")
struct NobodyHereTests: HelperSuite {
    let helper = HelperFixture()

    /// Runs a get that must request no code, take no lock and let git go on, and returns the errors.
    private func errors() throws -> [UserFacingError] {
        #expect(try get().isEmpty && requests.isEmpty && doubles.locks.wanted.isEmpty && prompts.isEmpty)
        return doubles.errors
    }

    @Test(
        "names the environment's setting that forbids a sign-in, or none without a terminal or a desktop",
        arguments: [
            ("GIT_TERMINAL_PROMPT", "0", "GIT_TERMINAL_PROMPT=0"), ("GCM_INTERACTIVE", "never", "GCM_INTERACTIVE"),
            ("CI", "true", "CI"), ("VSCODE_GIT_FETCH_SILENT", "1", "VSCODE_GIT_FETCH_SILENT"), ("TERM", "xterm", nil),
        ] as [(String, String, DisplayText?)])
    func environment(variable: String, value: String, setting: DisplayText?) throws {
        doubles.environment[variable] = value
        doubles.ui.canBeReached = false
        #expect(try errors() == [.nobodyHere(host: "github.com", because: setting)])
    }

    @Test("reports a dismissed notification, and until when none is shown")
    func sentAway() throws {
        doubles.ui.canBeReached = false
        doubles.ui.secondsOfSilence = 420
        #expect(try errors() == [.sentAway(host: "github.com", as: nil, until: RecordingClock.start + 420)])
        let end = LocalTime.text(RecordingClock.start + 420)
        #expect(
            sentences.first == "not signed in to github.com: the last sign-in notification was closed or not answered, "
                + "so none is shown until \(end)")
        // A setting that forbids sign-ins is reported first, because it forbids the next one too.
        doubles.environment["CI"] = "true"
        #expect(try errors().last == .nobodyHere(host: "github.com", because: "CI"))
    }

    @Test(
        "tells git to stop at a terminal if only we may not ask, because git's own prompt would hang",
        arguments: ["CI", "GCM_INTERACTIVE", "VSCODE_GIT_FETCH_SILENT"])
    func atTerminal(variable: String) throws {
        doubles.environment[variable] = variable == "GCM_INTERACTIVE" ? "never" : "1"
        #expect(try get() == "quit=1\n")
        doubles.environment["GIT_ASKPASS"] = "/usr/bin/answer"
        #expect(try get().isEmpty)
        doubles.environment["GIT_ASKPASS"] = nil
        doubles.ui.canBeReached = false
        #expect(try get().isEmpty)
    }

    @Test(
        "lets git go on if the first configured askpass program answers for the person",
        arguments: [
            // The programs are GIT_ASKPASS, core.askPass and SSH_ASKPASS. `isTrue` tells whether git asks one.
            ("/bin/ask", nil, nil, true), (nil, "/bin/ask", nil, true), (nil, nil, "/bin/ask", true),
            // An empty program means the terminal, and those after it are not asked (git's prompt.c).
            ("", "/bin/ask", "/bin/ask", false), (nil, "", "/bin/ask", false), (nil, nil, "", false),
        ] as [(String?, String?, String?, Bool)])
    func askPass(git: String?, core: String?, ssh: String?, asksProgram: Bool) throws {
        doubles.environment["CI"] = "1"
        doubles.environment["GIT_ASKPASS"] = git
        doubles.environment["SSH_ASKPASS"] = ssh
        if let core { doubles.configure("core", nil, "askPass", core) }
        #expect(try get() == (asksProgram ? "" : "quit=1\n"))
    }

    @Test(
        "names the setting of git's configuration that forbids a sign-in",
        arguments: [("interactive", "credential.interactive=false"), ("gitspaceFlow", "gitspaceFlow=none")]
            as [(String, DisplayText)])
    func configuration(key: String, setting: DisplayText) throws {
        doubles.configure("credential", nil, key, key == "interactive" ? "false" : "none")
        #expect(try errors() == [.nobodyHere(host: "github.com", because: setting)])
    }

    @Test("suggests the account that is signed in if git's configuration names another")
    func otherSignedIn() throws {
        doubles.configure("credential", "https://github.com", "username", "mona")
        doubles.ui.canBeReached = false
        doubles.keyring.put(StoredCredential(username: Array("bob".utf8), password: Secret("gho_b")), for: "github.com")
        #expect(try get(as: "mona").isEmpty)
        #expect(hints.suffix(2) == ["or have git use bob:", "  git credential-gitspace switch github.com bob"])
    }
}
