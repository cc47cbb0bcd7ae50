import StandIn

/// Somebody in front of a terminal, with a browser on some other device.
package struct BrowserUser {
    /// Who they are at GitHub.
    package let login: String
    /// What is played to them.
    package let fixture: EndToEndFixture

    /// Somebody with an account.
    package init(login: String, on fixture: EndToEndFixture) {
        self.login = login
        self.fixture = fixture
    }

    /// Reads address and code from the terminal, opens the page, types the code and presses the button.
    ///
    /// - Parameters:
    ///   - terminal: Where git is running.
    ///   - action: The button: `approve` or `deny`.
    /// - Throws: `NeverHappened` if nothing is shown, or the page does not take the code.
    package func answer(on terminal: PseudoTerminal, with action: String = "approve") async throws {
        try await terminal.shows("Waiting for you to approve")
        let address = try terminal.line(after: "1. Open this page")
        let code = try terminal.line(after: "2. Enter this")
        let result = try await fixture.start(
            [
                "curl", "--disable", "--silent", "--show-error", "--fail", "--max-time", "120",
                "--data-urlencode", "user_code=\(code)", "--data-urlencode", "login=\(login)",
                "--data", "action=\(action)", address,
            ], environment: fixture.github.environment
        ).ended()
        guard result.status == 0 else { throw NeverHappened(description: "the page: \(result.errors)") }
    }
}

extension PseudoTerminal {
    /// The code that a sign-in shows last, once it waits for the approval.
    ///
    /// - Parameter program: what signs in; its end is the end of waiting.
    /// - Returns: the code.
    /// - Throws: `NeverHappened` if there is none.
    package func signInCode(of program: RunningProgram) async throws -> String {
        try await eventually("a code:\n\(text)") {
            if text.contains("Waiting for you to approve") { return true }
            guard program.isRunning else { throw NeverHappened(description: "no code:\n\(text)") }
            return nil
        }
        return try line(after: "2. Enter this")
    }

    /// The line below the last one that begins so, without its indentation.
    fileprivate func line(after beginning: String) throws -> String {
        let lines = screen.split(separator: "\n")
        guard let position = lines.lastIndex(where: { $0.hasPrefix(beginning) }), position + 1 < lines.count else {
            throw NeverHappened(description: "nothing below \"\(beginning)\":\n\(screen)")
        }
        return String(lines[position + 1].drop { $0 == " " })
    }
}
