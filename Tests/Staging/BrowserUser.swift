import StandIn

extension EndToEndFixture {
    /// A person at a terminal, with a browser on another device, reads address and code, opens the page, types the code
    /// and presses a button.
    package func answer(
        on terminal: PseudoTerminal, as login: String = "monalisa", with action: String = "approve"
    ) async throws {
        try await terminal.shows("Waiting for you to approve")
        let address = try terminal.line(after: "1. Open this page")
        let code = try terminal.line(after: "2. Enter this")
        try await start(
            [
                "curl", "--disable", "--silent", "--show-error", "--fail", "--max-time", "120", "--data-urlencode",
                "user_code=\(code)", "--data-urlencode", "login=\(login)", "--data", "action=\(action)", address,
            ], environment: github.environment
        ).ended().succeeded()
    }
}

extension PseudoTerminal {
    /// Waits for the device code that a sign-in prints once it waits for the approval.
    package func signInCode(of program: RunningProgram) async throws -> String {
        try await eventually("a code:\n\(text)") {
            if text.contains("Waiting for you to approve") { return true }
            guard program.isRunning else { throw NeverHappened(description: "no code:\n\(text)") }
            return nil
        }
        return try line(after: "2. Enter this")
    }

    /// The last line that begins with a text, without its indentation and that text.
    fileprivate func line(after beginning: String) throws -> String {
        let lines = screen.split(separator: "\n")
        guard let position = lines.lastIndex(where: { $0.hasPrefix(beginning) }), position + 1 < lines.count else {
            throw NeverHappened(description: "nothing below \"\(beginning)\":\n\(screen)")
        }
        return String(lines[position + 1].drop { $0 == " " })
    }
}
