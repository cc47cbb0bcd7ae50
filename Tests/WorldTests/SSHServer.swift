import Staging

/// A real sshd on loopback, with its key and configuration in the session's home.
///
/// Clients become the user who runs the tests, with the given environment and none of their own settings. A socket
/// passes each connection to an sshd, as inetd does, so that no free port has to be guessed.
final class SSHServer: Sendable {
    /// Whether the programs for the server and for clients are installed.
    static let isHere = ["/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The file of ssh settings that name the server `devbox`.
    let clientSettings: String
    private let session: Session
    private let folder: String
    private let program: RunningProgram

    private static let listener = """
        import socket, subprocess, sys
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            child = subprocess.Popen(
                ["/usr/sbin/sshd", "-i", "-f", sys.argv[1]], stdin=connection, stdout=connection, start_new_session=True)
            with open(sys.argv[2], "a") as file:
                print(child.pid, file=file)
            connection.close()
        """

    init(in session: Session, environment: [String: String], settings: String = "", client: String = "") async throws {
        self.session = session
        folder = session.home + "/ssh"
        clientSettings = folder + "/ssh_config"
        // sshd requires this folder when it runs as root; Debian's service makes it.
        let keys = """
            mkdir -p "$0" && cd "$0" && ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f user
            cp user.pub authorized && { [ "$(id -u)" != 0 ] || mkdir -p /run/sshd; }
            """
        try await session.run(["sh", "-c", keys, folder]).succeeded()
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
            PidFile none
            PrintLastLog no
            PrintMotd no
            SetEnv \(variables.joined(separator: " "))
            \(settings)

            """
        try configuration.write(to: folder + "/sshd_config")
        program = try session.start([
            "/usr/bin/python3", "-c", Self.listener, folder + "/sshd_config", folder + "/pids",
        ])
        let program = program
        let port = try await eventually("the port of sshd: \(program.errorText)", by: program) {
            program.outputLines.first
        }
        let person = """
            Host devbox*
            HostName 127.0.0.1
            Port \(port)
            \(client)
            Host *
            IdentityFile \(folder)/user
            IdentitiesOnly yes
            UserKnownHostsFile \(folder)/known
            StrictHostKeyChecking accept-new
            BatchMode yes
            LogLevel ERROR

            """
        try person.write(to: clientSettings)
    }

    /// Runs a command of the remote shell on the server, in the home folder, with a fixed host name and key.
    ///
    /// A remote terminal ends with the command (`ssh -tt`); the output is then everything shown.
    func run(_ command: String, hasTerminal: Bool = false) async throws -> RunningProgram.End {
        try await session.run([
            "ssh", "-F", clientSettings, hasTerminal ? "-tt" : "-T", "-o", "RemoteCommand=none", "-o",
            "ControlPath=none", "devbox", "cd && \(command)",
        ])
    }

    /// Kills the sshd processes of all connections.
    ///
    /// If sshd does not run as root, a child process handles the connection.
    func disconnect() async throws {
        _ = try await session.run(["sh", "-c", "sed s/^/-/ \"$0/pids\" | xargs kill -KILL --", folder])
    }

    /// The session's PATH without empty entries, which sshd_config cannot express.
    static func path(of session: Session) -> String {
        (session.environment["PATH"] ?? "").split(separator: ":").joined(separator: ":")
    }

    /// The version that ssh prints: `OpenSSH_9.2p1 Debian-2, …`.
    static func version() throws -> String {
        let words = try RunningProgram.run(["ssh", "-V"]).errors.split(whereSeparator: { " ,_".contains($0) })
        return words.count > 1 ? String(words[1]) : ""
    }
}
