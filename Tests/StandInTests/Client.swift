import StandIn

/// The real programs that talk to the stand-in, with nobody's configuration.
struct Client {
    let github: StandIn

    /// Runs curl through the proxy and returns what it printed, the status after the body on a line of its own.
    func curl(_ arguments: String...) async throws -> (body: String, status: String) {
        let result = try await ChildProcess.running(
            ["curl", "--disable", "--silent", "--show-error", "--max-time", "20", "--write-out", "\n%{http_code}"]
                + arguments,
            environment: github.environment)
        let lines = result.outputText.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.dropLast().joined(separator: "\n"), lines.last.map(String.init) ?? "")
    }

    /// Posts a form as a well-behaved OAuth client does.
    func post(_ address: String, _ form: String) async throws -> String {
        try await curl("--header", "Accept: application/json", "--data", form, address).body
    }
}
