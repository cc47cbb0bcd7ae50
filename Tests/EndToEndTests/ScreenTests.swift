import Staging
import Testing

@Suite("The sign-in screen")
struct ScreenTests {
    /// Signs in as monalisa, and returns the terminal's text and the code.
    private func screen(
        columns: UInt16 = 80, environment: [String: String] = [:], settings: String = ""
    ) async throws -> (text: String, code: String) {
        let fixture = try await EndToEndFixture(host: "github.com", settings: settings)
        let terminal = try PseudoTerminal(columns: columns)
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let running = try fixture.startGit(["ls-remote", fixture.address()], environment: environment, on: terminal)
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        return (terminal.text, fixture.github.newestUserCode ?? "")
    }

    @Test("shows four lines, and then one, at 30 columns")
    func narrow() async throws {
        let (text, code) = try await screen(columns: 30, environment: ["NO_COLOR": "1"])
        // The time that is left is overwritten when it changes.
        let countdown = #/(\d+ min left\. Ctrl-C cancels\.\r\u{1b}\[K)+/#
        #expect(
            text.replacing(countdown, with: "(time left)") == """
                git: sign in to github.com
                https://github.com/login/device
                \(code)
                c: copy  q: quit
                (time left)✓ Signed in as monalisa.

                """)
    }

    @Test("does not overwrite a line that has become too long for the window")
    func resized() async throws {
        let fixture = try await EndToEndFixture()
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address()], on: terminal)
        try await terminal.shows("Waiting for you to approve.")
        terminal.resize(columns: 40)
        terminal.type("c")
        let copied = #/\n\u{1b}\[KCode copied, if your terminal allows it\.\n\d+ min left\. Ctrl-C cancels\./#
        try await eventually("a line below: \(terminal.text)") { terminal.text.firstMatch(of: copied) }
        terminal.type("q")
        _ = try await running.ended()
    }

    @Test("starts no program from a repository's configuration")
    func hostileRepository() async throws {
        let fixture = try await EndToEndFixture()
        let folder = fixture.session.home + "/hostile"
        let trap = fixture.session.home + "/trap"
        try await fixture.session.write(program: trap, "#!/bin/sh\ntouch \"$HOME/sprung\"")
        _ = try await fixture.git("init", "--quiet", folder)
        _ = try await fixture.git("config", "credential.gitspaceBrowser", trap, in: folder)
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address()], in: folder, on: terminal)
        try await terminal.type("\n", after: "Press c to copy the code, r for a QR code, q to quit.\n")
        terminal.type("q")
        _ = try await running.ended()
        #expect(!FileManager.default.fileExists(atPath: fixture.session.home + "/sprung"))
    }
}
