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
        let lines = terminal.screen.split(separator: "\n")
        guard let address = line(after: "1. Open this page", in: lines),
            let code = line(after: "2. Enter this", in: lines)
        else { throw NeverHappened(description: "no address or no code:\n\(terminal.screen)") }
        let result = try await fixture.start(
            [
                "curl", "--disable", "--silent", "--show-error", "--fail", "--max-time", "120",
                "--data-urlencode", "user_code=\(code)", "--data-urlencode", "login=\(login)",
                "--data", "action=\(action)", address,
            ], environment: fixture.github.environment
        ).ended()
        guard result.status == 0 else { throw NeverHappened(description: "the page: \(result.errors)") }
    }

    /// The line below the last one that begins so, without its indentation.
    private func line(after beginning: String, in lines: [Substring]) -> String? {
        guard let position = lines.lastIndex(where: { $0.hasPrefix(beginning) }), position + 1 < lines.count else {
            return nil
        }
        return String(lines[position + 1].drop { $0 == " " })
    }
}
