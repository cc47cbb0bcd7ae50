import Foundation
import StandIn

/// A place with which a fixture's sign-in is shared, and what asks from there.
package final class SharedBox: Sendable {
    /// The process that shares it.
    package let program: RunningProgram
    /// What is mounted.
    package let directory: String
    /// The socket in it.
    package var socket: String { directory + "/socket" }
    private let session: Session

    /// Where places are in a session.
    package static func directory(of name: String, in session: Session) -> String {
        "\(session.environment["XDG_RUNTIME_DIR"] ?? "")/gitspace/\(name)"
    }

    /// Shares, and waits until it can be asked.
    ///
    /// - Parameters:
    ///   - fixture: whose sign-in.
    ///   - name: the place's.
    ///   - options: of `share`.
    /// - Throws: `NeverHappened` if it does not begin.
    package init(_ fixture: EndToEndFixture, name: String = "box", _ options: String...) async throws {
        session = fixture.session
        directory = Self.directory(of: name, in: session)
        program = try fixture.start([BuiltFiles.helper, "share", name] + options)
        let program = program
        try await eventually("sharing: \(program.errorText)") {
            if program.outputText.contains("To stop, press Ctrl-C.\n") { return true }
            guard program.isRunning else { throw NeverHappened(description: "share: \(program.errorText)") }
            return nil
        }
    }

    /// The text of a request in git's own framing.
    package static func text(_ action: String, _ lines: [String]) -> [UInt8] {
        Array(("action=\(action)\ntimeout=900\n" + lines.map { $0 + "\n" }.joined()).utf8)
    }

    /// Asks as git's cache does: sends all of it, ends its input, and reads what comes.
    package func ask(_ action: String = "get", _ lines: String...) async throws -> String {
        try await send(Self.text(action, lines))
    }

    /// Sends bytes, and reads what comes.
    package func send(_ bytes: [UInt8]) async throws -> String {
        let client = try SocketClient(to: socket)
        client.send(bytes)
        client.endInput()
        return try await client.answer()
    }

    /// The environment of a git in a container: nothing of the session's but what leads to the stand-in, and the
    /// configuration that `share` prints, with the directory in place of where it would be mounted.
    package func inside(_ fixture: EndToEndFixture, home: String) -> [String: String] {
        var environment = [
            "PATH": fixture.session.environment["PATH"] ?? "", "HOME": home, "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0",
            "GIT_SSL_CAINFO": fixture.session.home + "/authority.pem", "https_proxy": fixture.github.proxyAddress,
        ]
        let lines = program.outputText.split(separator: "\n").first { $0.hasPrefix("  podman run ") } ?? ""
        // As a shell would take it apart: words, of which some stand in single quotes.
        for match in String(lines).matches(of: /-e '?(GIT_CONFIG_[A-Z0-9_]+)=([^']*?)(?:'| -e | IMAGE)/.dotMatchesNewlines()) {
            environment[String(match.1)] = String(match.2).replacing("/run/gitspace", with: directory)
        }
        return environment
    }

    /// Stops it as Ctrl-C does.
    package func interrupt() async throws -> RunningProgram.End {
        program.signal(2)
        return try await program.ended()
    }
}
