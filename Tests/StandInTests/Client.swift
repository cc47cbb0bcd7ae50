import Staging

/// Runs a program with further environment variables, without blocking the test.
func run(
    _ arguments: [String], environment: [String: String] = [:], input: String = ""
) async throws -> RunningProgram.End {
    let input = try UnnamedFile(contents: Array(input.utf8))
    let environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    return try await RunningProgram(arguments, environment: environment, input: input.descriptor).ended()
}

/// Real programs as clients of the stand-in, without the user's configuration.
struct Client {
    let github: StandIn

    /// Runs curl through the proxy; returns the body and the status, which curl prints on the last line.
    func curl(_ arguments: String...) async throws -> (body: String, status: String) {
        let result = try await run(
            ["curl", "--disable", "--silent", "--show-error", "--max-time", "20", "--write-out", "\n%{http_code}"]
                + arguments, environment: github.environment)
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.dropLast().joined(separator: "\n"), lines.last.map(String.init) ?? "")
    }

    func post(_ address: String, _ form: String) async throws -> String {
        try await curl("--header", "Accept: application/json", "--data", form, address).body
    }
}
