import Foundation
import Staging

/// A real sshd on loopback, with a key and a configuration of its own in the session's home.
///
/// Whoever connects is the user who runs the tests, with the session's environment and none of their own settings. A
/// socket hands each connection to an sshd, as inetd does, so that no port has to be guessed.
struct SSHServer {
    /// What makes keys and connections; nil on a machine without one of the programs.
    static let isHere = ["/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let fixture: EndToEndFixture
    private let folder: String
    private let port: String
    private let program: RunningProgram

    private static let listener = """
        import socket, subprocess, sys
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            subprocess.Popen(["/usr/sbin/sshd", "-i", "-f", sys.argv[1]], stdin=connection, stdout=connection)
            connection.close()
        """

    init(_ fixture: EndToEndFixture) async throws {
        self.fixture = fixture
        folder = fixture.session.home + "/ssh"
        // Debian's service makes this folder; sshd wants it when it runs as root.
        let keys = """
            mkdir -p "$0" && cd "$0" && ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f user
            cp user.pub authorized && { [ "$(id -u)" != 0 ] || mkdir -p /run/sshd; }
            """
        let made = try await fixture.session.run(["sh", "-c", keys, folder])
        guard made.status == 0 else { throw NeverHappened(description: "ssh-keygen: \(made.errors)") }
        let path = (fixture.session.environment["PATH"] ?? "").split(separator: ":").filter { !$0.isEmpty }
        let environment = fixture.session.environment.merging(["PATH": path.joined(separator: ":")]) { $1 }
        let variables = environment.filter { !$0.value.contains("\"") && !$0.value.isEmpty }.map {
            "\"\($0.key)=\($0.value)\""
        }
        let configuration = """
            HostKey \(folder)/host
            AuthorizedKeysFile \(folder)/authorized
            AuthenticationMethods publickey
            PermitRootLogin prohibit-password
            UsePAM no
            StrictModes no
            PrintLastLog no
            PrintMotd no
            SetEnv \(variables.joined(separator: " "))

            """
        try Data(configuration.utf8).write(to: URL(filePath: folder + "/sshd_config"))
        program = try fixture.session.start(["python3", "-c", Self.listener, folder + "/sshd_config"])
        let program = program
        port = try await eventually("the port of sshd: \(program.errorText)") {
            program.outputText.hasSuffix("\n") ? String(program.outputText.dropLast()) : nil
        }
    }

    /// Runs a command over ssh, in the home folder.
    ///
    /// - Parameters:
    ///   - command: for the shell on the other side.
    ///   - hasTerminal: whether it gets a terminal there, which ends with it (`ssh -tt`).
    /// - Returns: its end, with all that was shown as output.
    /// - Throws: `NeverHappened` if it does not end.
    func run(_ command: String, hasTerminal: Bool) async throws -> RunningProgram.End {
        try await fixture.session.run(
            [
                "ssh", "-F", "none", hasTerminal ? "-tt" : "-T", "-p", port, "-i", folder + "/user",
                "-o", "IdentitiesOnly=yes", "-o", "UserKnownHostsFile=\(folder)/known",
                "-o", "StrictHostKeyChecking=accept-new", "-o", "LogLevel=ERROR", "127.0.0.1",
                "cd && \(command)",
            ])
    }

    /// What ssh says its version is: `OpenSSH_9.2p1 Debian-2, …`.
    static func version() throws -> String {
        let words = try RunningProgram.run(["ssh", "-V"]).errors.split(whereSeparator: { " ,_".contains($0) })
        return words.count > 1 ? String(words[1]) : ""
    }
}
