import Foundation
import Glibc
import Staging
import StandIn
import Testing

extension Share {
    /// `share ssh`, with a real sshd on loopback that nobody has prepared for it.
    @Suite("Over ssh", .enabled(if: SSHServer.isHere, "there is no sshd here"))
    struct SSHTests {
        private func laptop(_ server: RemoteMachine? = nil) async throws -> (
            fixture: EndToEndFixture, token: IssuedToken
        ) {
            let fixture = try await EndToEndFixture(app: Service.gitHub.refreshingApp(interval: 1))
            let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
            try await fixture.remember(token, expiringIn: 7_200)
            return (fixture, token)
        }

        @Test("the printed lines make git there work, and nothing is left when it ends", arguments: [true, false])
        func works(hasRuntime: Bool) async throws {
            let (fixture, token) = try await laptop()
            let remote = try await RemoteMachine(fixture, hasRuntime: hasRuntime)
            let share = try await remote.share(fixture)
            for line in share.outputText.split(separator: "\n") where line.hasPrefix("  git config ") {
                let end = try await remote.ssh(fixture, line.trimmingCharacters(in: .whitespaces))
                #expect(end.status == 0, "\(end.errors)")
            }
            let end = try await remote.ssh(fixture, "git ls-remote \(fixture.address())")
            #expect(end.status == 0 && end.output.contains("refs/heads/main"), "\(end.errors)")
            let modes = try await remote.ssh(
                fixture, "stat --format='%a %F' \(remote.directory) \(remote.directory)/*.sock")
            #expect(modes.output == "700 directory\n600 socket\n")
            #expect(!share.outputText.contains(token.accessToken))
            share.signal(SIGTERM)
            #expect(try await share.ended().status == 0)
            #expect(try remote.files.isEmpty)
            WorldRow.add(
                .share, "OpenSSH", try SSHServer.version(), tried: "share ssh, sshd as it comes",
                result: "git there fetches; folder 0700, socket 0600; nothing is left at the end")
        }

        @Test("killed, or without a connection, it leaves nothing there either", arguments: ["killed", "disconnected"])
        func broken(how: String) async throws {
            let (fixture, _) = try await laptop()
            let remote = try await RemoteMachine(fixture)
            let share = try await remote.share(fixture)
            #expect(try remote.files.count == 2)
            if how == "killed" {
                share.signal(SIGKILL)
                _ = try await share.ended()
            } else {
                try await remote.disconnect(fixture)
                let end = try await share.ended()
                #expect(end.status == 1 && end.output.contains("ssh has ended"), "\(end.output)\(end.errors)")
            }
            try await eventually("an empty directory there") { try remote.files.isEmpty ? true : nil }
        }

        @Test("three laptops at once have a socket each, and git goes on with another one's when the newest leaves")
        func laptops() async throws {
            let (first, _) = try await laptop()
            let remote = try await RemoteMachine(first)
            var shares: [RunningProgram] = []
            for number in 1...3 { shares.append(try await remote.share(first, place: "laptop\(number)")) }
            #expect(try remote.files.filter { $0.hasSuffix(".sock") }.count == 3)
            let ask =
                "printf 'protocol=https\\nhost=\(first.host)\\n' | git credential-cache --socket \(remote.directory)/socket get"
            for share in shares.reversed() {
                #expect(try await remote.ssh(first, ask).output.contains("password="))
                share.signal(SIGTERM)
                _ = try await share.ended()
            }
            #expect(try remote.files.isEmpty)
        }

        @Test("a server that forwards no sockets is named, and so is one that nobody reaches")
        func refused() async throws {
            let (fixture, _) = try await laptop()
            let remote = try await RemoteMachine(fixture, settings: "AllowStreamLocalForwarding no")
            let end = try await fixture.start(remote.command("devbox"), environment: remote.environment).ended()
            #expect(end.status == 1 && end.errors.contains("does not forward sockets"), "\(end.errors)")
            #expect(try remote.files.isEmpty)
            let nowhere = try await fixture.start(remote.command("nowhere"), environment: remote.environment).ended()
            #expect(
                nowhere.status == 1 && nowhere.errors.contains("ssh did not connect to nowhere"), "\(nowhere.errors)")
        }

        @Test("the connection is one of its own: what the person has configured for the host stays out of it")
        func ownConnection() async throws {
            let (fixture, _) = try await laptop()
            let remote = try await RemoteMachine(
                fixture,
                client:
                    "RemoteCommand echo hello\nRequestTTY yes\nControlMaster auto\nControlPath \(fixture.session.home)/cm\nControlPersist yes\nLocalForward 127.0.0.1:1 127.0.0.1:1"
            )
            let share = try await remote.share(fixture)
            #expect(!FileManager.default.fileExists(atPath: fixture.session.home + "/cm"))
            share.signal(SIGTERM)
            #expect(try await share.ended().status == 0)
        }
    }
}

/// A machine behind ssh, with a home of its own and no keyring; its sshd is as it comes from OpenSSH.
final class RemoteMachine: Sendable {
    private let folder: String
    private let home: String
    private let program: RunningProgram
    /// Where its sockets are.
    let directory: String
    /// What leads `ssh` to it: a program of that name, since ssh reads its settings from the home that passwd(5) has.
    let environment: [String: String]

    private static let listener = """
        import os, socket, subprocess, sys
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            child = subprocess.Popen(["/usr/sbin/sshd", "-i", "-f", sys.argv[1]], stdin=connection, stdout=connection)
            with open(sys.argv[2], "a") as file:
                print(child.pid, file=file)
            connection.close()
        """

    init(
        _ fixture: EndToEndFixture, hasRuntime: Bool = true, settings: String = "", client: String = ""
    ) async throws {
        folder = fixture.session.home + "/remote"
        home = folder + "/home"
        directory = home + (hasRuntime ? "/run/gitspace" : "/.cache/gitspace")
        let keys = """
            mkdir -p "$0/bin" "$0/home/run" && chmod 700 "$0/home/run" && cd "$0" && ssh-keygen -q -t ed25519 -N '' -f host
            ssh-keygen -q -t ed25519 -N '' -f user && cp user.pub authorized && { [ "$(id -u)" != 0 ] || mkdir -p /run/sshd; }
            """
        let made = try await fixture.session.run(["sh", "-c", keys, folder])
        guard made.status == 0 else { throw NeverHappened(description: "ssh-keygen: \(made.errors)") }
        let path = (fixture.session.environment["PATH"] ?? "").split(separator: ":").filter { !$0.isEmpty }
            .joined(separator: ":")
        var variables = [
            "HOME": home, "PATH": path, "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
            "GIT_SSL_CAINFO": fixture.session.home + "/authority.pem", "https_proxy": fixture.github.proxyAddress,
        ]
        if hasRuntime { variables["XDG_RUNTIME_DIR"] = home + "/run" }
        let configuration = """
            HostKey \(folder)/host
            AuthorizedKeysFile \(folder)/authorized
            AuthenticationMethods publickey
            PermitRootLogin prohibit-password
            UsePAM no
            StrictModes no
            PidFile none
            SetEnv \(variables.map { "\"\($0.key)=\($0.value)\"" }.joined(separator: " "))
            \(settings)

            """
        try Data(configuration.utf8).write(to: URL(filePath: folder + "/sshd_config"))
        program = try fixture.session.start([
            "/usr/bin/python3", "-c", Self.listener, folder + "/sshd_config", folder + "/pids",
        ])
        let program = program
        let port = try await eventually("the port of sshd: \(program.errorText)") {
            program.outputText.hasSuffix("\n") ? String(program.outputText.dropLast()) : nil
        }
        let person = """
            Host devbox
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
        try Data(person.utf8).write(to: URL(filePath: folder + "/ssh_config"))
        try await fixture.session.write(
            program: folder + "/bin/ssh", "#!/bin/sh\nexec /usr/bin/ssh -F \(folder)/ssh_config \"$@\"")
        environment = ["PATH": "\(folder)/bin:\(path)"]
    }

    /// What is in its directory.
    var files: [String] {
        get throws {
            guard FileManager.default.fileExists(atPath: directory) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        }
    }

    /// The command that shares with it.
    func command(_ destination: String, place: String? = nil) -> [String] {
        [BuiltFiles.helper, "share", "ssh", destination, "--confirm", "never"] + (place.map { ["--name", $0] } ?? [])
    }

    /// Shares, and waits until it can be used there.
    func share(_ fixture: EndToEndFixture, place: String? = nil) async throws -> RunningProgram {
        let program = try fixture.start(command("devbox", place: place), environment: environment)
        try await eventually("sharing: \(program.errorText)") {
            guard program.isRunning else { throw NeverHappened(description: "share ssh: \(program.errorText)") }
            return program.outputText.contains("To stop, press Ctrl-C.\n") ? true : nil
        }
        // What it leaves behind it makes just afterwards.
        try await eventually("the name that stays") { try self.files.contains("socket") ? true : nil }
        return program
    }

    /// Runs a command there.
    func ssh(_ fixture: EndToEndFixture, _ command: String) async throws -> RunningProgram.End {
        try await fixture.start(
            ["ssh", "-o", "RemoteCommand=none", "-o", "ControlPath=none", "devbox", "cd && \(command)"],
            environment: environment
        ).ended()
    }

    /// Breaks every connection, at the server.
    func disconnect(_ fixture: EndToEndFixture) async throws {
        _ = try await fixture.session.run(["sh", "-c", "xargs kill -KILL <\"$0/pids\"", folder])
    }
}
