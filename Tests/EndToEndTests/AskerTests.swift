import Staging
import Testing

@Suite("Program that asks")
struct AskerTests {
    /// Returns the first lines that a person sees when a program of that name asks for a credential.
    private func opening(askedBy name: String, columns: UInt16 = 80, command: String = "") async throws -> String {
        let fixture = try await EndToEndFixture()
        let program = fixture.session.home + "/bin/" + name
        // libgit2 runs a helper in this way: without git, or with git only to start `git credential-gitspace`.
        let command = command.isEmpty ? "'\(BuiltFiles.helper)' get" : command
        try await fixture.session.write(
            program: program,
            """
            #!/usr/bin/python3
            import os, subprocess
            os.environ["PATH"] = "\(BuiltFiles.helperFolder):" + os.environ["PATH"]
            subprocess.run(["sh", "-c", "\(command)"], input=b"protocol=https\\nhost=\(fixture.host)\\n")
            """)
        _ = try await fixture.session.run(["mkdir", "src"])
        let terminal = try PseudoTerminal(columns: columns)
        let running = try fixture.start([program, "--token=secret"], in: fixture.session.home + "/src", on: terminal)
        try await terminal.type("q", after: "Ctrl-C cancels")
        _ = try await running.ended()
        #expect(!terminal.text.contains("git needs") && !terminal.text.contains("secret"))
        return terminal.text.replacing(fixture.host, with: "HOST")
    }

    @Test("names a program that asks without git", arguments: ["", "git credential-gitspace get"])
    func program(command: String) async throws {
        let opening = try await opening(askedBy: "cargo", command: command)
        #expect(opening.hasPrefix("Sign in to GitHub (HOST).\n\n1. "), "\(opening)")
        #expect(opening.contains("\n\nAsked by: cargo, in \"src\"\n\n"), "\(opening)")
        #expect(try await self.opening(askedBy: "cargo", columns: 30, command: command).hasPrefix("Sign in to HOST\n"))
    }

    @Test("does not show a malformed name, and reports an unknown program", arguments: ["two words", "\u{202e}x"])
    func unknown(name: String) async throws {
        let opening = try await opening(askedBy: name)
        #expect(opening.hasPrefix("Sign in to GitHub (HOST).\n\n1. "), "\(opening)")
        #expect(opening.contains("\n\nAsked by: an unknown program, in \"src\"\n\n"), "\(opening)")
    }

    @Test("names no program if git asks, or if a person typed login")
    func git() async throws {
        let fixture = try await EndToEndFixture()
        for (arguments, opening, asker) in [
            (["git", "ls-remote", fixture.address()], "git needs to sign in", "git ls-remote" as String?),
            (["git", "credential", "fill"], "git needs to sign in", "git credential"),
            ([BuiltFiles.helper, "login", fixture.host], "Sign in", nil),
        ] {
            let terminal = try PseudoTerminal()
            let running = try fixture.start(arguments, input: "url=\(fixture.address())\n\n", on: terminal)
            try await terminal.type("q", after: "Waiting for you to approve")
            _ = try await running.ended()
            let text = terminal.text.replacing(fixture.host, with: "HOST")
            #expect(text.hasPrefix("\(opening) to GitHub (HOST).\n\n1. "), "\(text)")
            let line = asker.map { "\n\nAsked by: \($0), in \"~\"\n\n" }
            #expect(line.map(text.contains) ?? !text.contains("Asked by"), "\(text)")
        }
    }
}
