import Staging
import Testing

/// Tests/Support/lifeline.py, which ends everything that was started in a private session.
@Suite("A killed test run") struct KilledRunTests {
    enum Victim: CaseIterable {
        /// The program that runs in the session.
        case program
        /// The shell that started the session.
        case starter
    }

    @Test("leaves none of its processes running, whatever started sessions of its own", arguments: Victim.allCases)
    func killed(victim: Victim) async throws {
        let lifeline = try Lifeline()
        let mark = "GITSPACE_TEST_MARK=\(UUID().uuidString)"
        let runner = BuiltFiles.script("with-keyring.sh")
        // An endless loop, git's cache as `share` starts it, and a second session.
        let script = """
            setsid sh -c 'trap "" HUP TERM; while :; do sleep 1; done' &
            mkdir -m 700 "$HOME/box"
            setsid --fork git credential-cache--daemon "$HOME/box/socket"
            setsid \(runner) sh -c 'echo inner; exec sleep 1000' &
            echo $$
            exec sleep 1000
            """
        let environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "GITSPACE_TEST_MARK": String(mark.dropFirst(19)),
        ]
        let run = try RunningProgram(
            ["sh", "-c", "\"$@\"; exit 3", "sh", runner, "sh", "-c", script], environment: environment,
            input: lifeline.programEnd)
        let program = try await eventually("both sessions: \(run.errorText)", by: run) {
            let words = run.outputText.split(whereSeparator: \.isNewline)
            // The cache's daemon says "ok" when it listens.
            return words.contains("inner") && words.contains("ok") ? words.compactMap { pid_t($0) }.first : nil
        }
        #expect(processes(with: mark).count >= 10)
        kill(victim == .program ? program : run.id, SIGKILL)
        #expect(try await run.ended().status == (victim == .program ? 3 : 128 + SIGKILL))
        if victim == .program {
            #expect(processes(with: mark) == [])
        } else {
            try await eventually("the end of all") { processes(with: mark).isEmpty }
        }
    }

    /// The command lines of running processes that have a variable in their environment.
    private func processes(with variable: String) -> [String] {
        allProcesses().filter { process in
            let bytes = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
            return bytes.split(separator: 0).contains { $0.elementsEqual(variable.utf8) }
        }.map { commandLine(of: $0).joined(separator: " ") }
    }
}
