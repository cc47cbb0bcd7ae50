import Foundation
import StandIn

/// A target with which a fixture's sign-in is shared, and the requests that come from there.
package final class SharedBox: Sendable {
    /// The process that runs `share`.
    package let program: RunningProgram
    /// The directory that a container would mount.
    package let directory: String
    package var socket: String { directory + "/socket" }
    private let session: Session

    /// The directory of a target in a session.
    package static func directory(of name: String, in session: Session) -> String {
        "\(session.environment["XDG_RUNTIME_DIR"] ?? "")/gitspace/\(name)"
    }

    /// Starts `share`, and waits until it answers.
    package convenience init(
        _ fixture: EndToEndFixture, name: String = "box", on terminal: PseudoTerminal? = nil, _ options: String...
    ) async throws {
        try await self.init(
            fixture.start([BuiltFiles.helper, "share", name, "--token"] + options, on: terminal), name: name,
            in: fixture)
    }

    /// Waits until the program's socket answers.
    package init(_ program: RunningProgram, name: String = "box", in fixture: EndToEndFixture) async throws {
        session = fixture.session
        directory = Self.directory(of: name, in: session)
        self.program = program
        try await program.shares()
    }

    /// The text of a request in the framing of git's cache daemon.
    package static func text(_ action: String, _ lines: [String]) -> [UInt8] {
        Array(("action=\(action)\ntimeout=900\n" + lines.map { $0 + "\n" }.joined()).utf8)
    }

    /// Sends a request as git's cache client does, ends its input, and reads the answer.
    package func ask(_ action: String = "get", _ lines: String...) async throws -> String {
        try await send(Self.text(action, lines))
    }

    package func send(_ bytes: [UInt8]) async throws -> String {
        try await SocketClient(to: socket, sending: bytes).answer()
    }

    /// The line of `share`'s output, meant to be pasted, that begins with a text.
    package func printedLine(_ beginning: String) throws -> String {
        let line = program.outputText.split(separator: "\n").first { $0.hasPrefix("  " + beginning) }
        guard let line else { throw NeverHappened(description: "no \(beginning) in \(program.outputText)") }
        return line.trimmingCharacters(in: .whitespaces)
    }

    /// The environment of git in a container: the way to the stand-in, and the variables of the line that `share`
    /// prints.
    ///
    /// A shell parses the line. The directory keeps its path, since nothing is mounted.
    package func inside(_ fixture: EndToEndFixture, home: String) async throws -> [String: String] {
        let path = session.environment["PATH"] ?? ""
        var environment = [
            "PATH": path, "HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0",
            "GIT_SSL_CAINFO": session.home + "/authority.pem", "https_proxy": fixture.github.proxyAddress,
        ]
        let engine = #"""
            #!/bin/sh
            while [ $# -gt 0 ]; do
                case $1 in -e) printf '%s\0' "$2"; shift ;; esac
                shift
            done
            """#
        try await session.write(program: session.home + "/engine/podman", engine)
        let line = try printedLine("podman run ")
        let end = try await session.run(
            ["sh", "-c", line], environment: ["PATH": session.path(session.home + "/engine")])
        for pair in end.output.split(separator: "\0") {
            let equals = pair.firstIndex(of: "=") ?? pair.endIndex
            let value = String(pair[equals...].dropFirst())
            environment[String(pair[..<equals])] = value.replacing("/run/gitspace", with: directory)
        }
        return environment
    }

    /// Stops `share` as Ctrl-C does.
    package func interrupt() async throws -> RunningProgram.End {
        program.signal(2)
        return try await program.ended()
    }
}

extension RunningProgram {
    /// Waits until `share` serves.
    package func shares() async throws {
        try await eventually("sharing: \(errorText)", by: self) { outputText.contains("To stop, press Ctrl-C.\n") }
    }
}
