import StandIn

/// Real programs as clients of the stand-in, without the user's configuration.
struct Client {
    let github: StandIn

    /// Runs curl through the proxy; returns the body and the status, which curl prints on the last line.
    func curl(_ arguments: String...) async throws -> (body: String, status: String) {
        let result = try await ChildProcess.running(
            ["curl", "--disable", "--silent", "--show-error", "--max-time", "20", "--write-out", "\n%{http_code}"]
                + arguments,
            environment: github.environment)
        let lines = result.outputText.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.dropLast().joined(separator: "\n"), lines.last.map(String.init) ?? "")
    }

    /// Posts a form with curl.
    func post(_ address: String, _ form: String) async throws -> String {
        try await curl("--header", "Accept: application/json", "--data", form, address).body
    }
}
