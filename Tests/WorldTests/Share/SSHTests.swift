import Staging
import Testing

extension Share {
    /// `share ssh` with a real sshd on loopback in its default configuration.
    @Suite("Sharing over ssh", .enabled(if: SSHServer.isHere, "there is no sshd here"))
    struct SSHTests {
        private func laptop() async throws -> (fixture: EndToEndFixture, token: IssuedToken) {
            let fixture = try await EndToEndFixture(app: Service.gitHub.refreshingApp(interval: 1))
            return (fixture, try await fixture.signedIn("monalisa", expiringIn: 7_200))
        }

        @Test(
            "makes git work on the remote machine with the printed lines, and leaves nothing there",
            arguments: [true, false])
        func works(hasRuntime: Bool) async throws {
            let (fixture, token) = try await laptop()
            let remote = try await RemoteMachine(fixture, hasRuntime: hasRuntime)
            let share = try await remote.share(fixture)
            try await remote.paste(share)
            let end = try await remote.server.run("git ls-remote \(fixture.address())")
            #expect(end.status == 0 && end.output.contains("refs/heads/main"), "\(end.errors)")
            let modes = try await remote.server.run(
                "stat --format='%a %F' \(remote.directory) \(remote.directory)/*.sock")
            #expect(modes.output == "700 directory\n600 socket\n")
            #expect(!share.outputText.contains(token.accessToken))
            share.signal(SIGTERM)
            #expect(try await share.ended().status == 0)
            #expect(try remote.files.isEmpty)
            WorldRow.add(
                .share, "OpenSSH", try SSHServer.version(), tried: "share ssh, sshd as it comes",
                result: "git there fetches; folder 0700, socket 0600; nothing is left at the end")
        }

        @Test("clones and pushes through a gateway without a remote token, and leaves nothing there")
        func gateway() async throws {
            let fixture = try await EndToEndFixture()
            let token = try await fixture.signedIn("monalisa")
            let remote = try await RemoteMachine(fixture)
            let share = try await remote.share(
                fixture, ["--repository", fixture.address(), "--branch", "agent/*"], givesToken: false)
            try await remote.paste(share)
            // The remote machine cannot reach the host directly, and lacks its certificate.
            let end = try await remote.server.run(
                """
                unset https_proxy GIT_SSL_CAINFO && git clone --quiet \(fixture.address()) work && cd work &&
                git -c user.name=m -c user.email=m@example.test commit --quiet --allow-empty -m there &&
                git push --quiet origin HEAD:agent/there && ! git push origin HEAD:main
                """)
            #expect(end.status == 0 && end.errors.contains("only agent/* may be pushed"), "\(end.errors)")
            #expect(!share.errorText.contains("does not come through"), "\(share.errorText)")
            share.signal(SIGTERM)
            #expect(try await share.ended().status == 0)
            #expect(try remote.files.isEmpty)
            #expect(try await remote.server.run("grep -rF \(token.accessToken) ~ .").status == 1)
            WorldRow.add(
                .share, "OpenSSH", try SSHServer.version(), tried: "share ssh, by a gateway",
                result: "git there clones and pushes what is allowed, without a token; nothing is left at the end")
        }

        @Test("leaves nothing there if it is killed or loses the connection", arguments: ["killed", "disconnected"])
        func broken(how: String) async throws {
            let (fixture, _) = try await laptop()
            let remote = try await RemoteMachine(fixture)
            let share = try await remote.share(fixture)
            #expect(try remote.files.count == 2)
            if how == "killed" {
                share.signal(SIGKILL)
                _ = try await share.ended()
            } else {
                try await remote.server.disconnect()
                let end = try await share.ended()
                #expect(end.status == 1 && end.output.contains("ssh has ended"), "\(end.output)\(end.errors)")
            }
            try await eventually("an empty directory there") { try remote.files.isEmpty }
        }

        @Test("gives each of three laptops its own socket, and git uses another one when the newest leaves")
        func laptops() async throws {
            let (first, _) = try await laptop()
            let remote = try await RemoteMachine(first)
            var shares: [RunningProgram] = []
            for number in 1...3 { shares.append(try await remote.share(first, to: "devbox\(number)")) }
            #expect(try remote.files.filter { $0.hasSuffix(".sock") }.count == 3)
            let ask =
                "printf 'protocol=https\\nhost=\(first.host)\\n' | git credential-cache --socket \(remote.directory)/socket get"
            for share in shares.reversed() {
                #expect(try await remote.server.run(ask).output.contains("password="))
                share.signal(SIGTERM)
                _ = try await share.ended()
            }
            #expect(try remote.files.isEmpty)
        }

        @Test("names a server that forwards no sockets, and a server that is unreachable")
        func refused() async throws {
            let (fixture, _) = try await laptop()
            let remote = try await RemoteMachine(fixture, settings: "AllowStreamLocalForwarding no")
            let end = try await fixture.start(remote.command("devbox"), environment: remote.environment).ended()
            let error =
                "does not forward sockets\nhint: its administrator can allow it in sshd_config: AllowStreamLocalForwarding yes\n"
            #expect(end.status == 1 && end.errors.contains(error), "\(end.errors)")
            #expect(try remote.files.isEmpty)
            let nowhere = try await fixture.start(remote.command("nowhere"), environment: remote.environment).ended()
            let lost = "ssh did not connect to nowhere\nhint: check that this works:\nhint:   ssh nowhere true\n"
            #expect(nowhere.status == 1 && nowhere.errors.contains(lost), "\(nowhere.errors)")
        }

        @Test(
            "suggests in doctor, where there is no keyring, sharing from the machine that the person came from",
            .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)))
        func doctor() async throws {
            let (fixture, _) = try await laptop()
            let remote = try await RemoteMachine(fixture)
            let command = try MarkedMachine.command(in: fixture.session) + [BuiltFiles.helper, "doctor"]
            let end = try await remote.server.run(command.map { "'\($0)'" }.joined(separator: " "))
            let advice = "\n         git credential-gitspace share ssh HOST\n"
            #expect(end.output.contains(advice), "\(end.output)\(end.errors)")
        }

        @Test("keeps a local variable secret from a host that names it in its directory")
        func variable() async throws {
            let (fixture, _) = try await laptop()
            let folder = fixture.session.home + "/hostile"
            try await fixture.session.write(
                program: folder + "/answer",
                """
                #!/bin/sh
                mkdir -p \(folder)/s3cret
                echo '\(folder)/${AWS_SECRET_ACCESS_KEY}'
                exec cat >/dev/null
                """)
            let remote = try await RemoteMachine(fixture, settings: "ForceCommand \(folder)/answer")
            let environment = remote.environment.merging(["AWS_SECRET_ACCESS_KEY": "s3cret"]) { $1 }
            let share = try fixture.start(remote.command("devbox"), environment: environment)
            try await eventually("an end, or a share: \(share.errorText)") {
                !share.isRunning || share.outputText.contains("To stop")
            }
            // Look as root of the host: the directory has the name of the variable, unexpanded.
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/s3cret").isEmpty)
            share.signal(SIGTERM)
            #expect(try await share.ended().errors.contains("devbox named a folder that cannot be used"))
        }

        @Test("uses its own connection, without the person's settings for the host")
        func ownConnection() async throws {
            let (fixture, _) = try await laptop()
            // A multiplexed connection that the person has configured for the host.
            let taken = try ClosedPort()
            defer { withExtendedLifetime(taken) {} }
            let remote = try await RemoteMachine(
                fixture,
                client:
                    "RemoteCommand echo hello\nRequestTTY yes\nControlMaster auto\nControlPath \(fixture.session.home)/cm\nControlPersist yes\nLocalForward 127.0.0.1:\(taken.number) 127.0.0.1:1"
            )
            let share = try await remote.share(fixture)
            #expect(!FileManager.default.fileExists(atPath: fixture.session.home + "/cm"))
            share.signal(SIGTERM)
            #expect(try await share.ended().status == 0)
        }
    }
}

/// A machine behind ssh with its own home, no keyring, and an unmodified sshd.
final class RemoteMachine: Sendable {
    let server: SSHServer
    /// The remote directory of the sockets.
    let directory: String
    /// An environment whose PATH has an `ssh` that leads there: the real one reads its settings from passwd(5)'s home,
    /// not from HOME.
    let environment: [String: String]

    init(_ fixture: EndToEndFixture, hasRuntime: Bool = true, settings: String = "", client: String = "") async throws {
        let folder = fixture.session.home + "/remote"
        let home = folder + "/home"
        directory = home + (hasRuntime ? "/run/gitspace" : "/.cache/gitspace")
        let make = "mkdir -p \"$0/bin\" \"$0/home/run\" && chmod 700 \"$0/home/run\""
        try await fixture.session.run(["sh", "-c", make, folder]).succeeded()
        let path = SSHServer.path(of: fixture.session)
        var variables = [
            "HOME": home, "PATH": path, "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
            "GIT_SSL_CAINFO": fixture.session.home + "/authority.pem", "https_proxy": fixture.github.proxyAddress,
        ]
        if hasRuntime { variables["XDG_RUNTIME_DIR"] = home + "/run" }
        server = try await SSHServer(in: fixture.session, environment: variables, settings: settings, client: client)
        try await fixture.session.write(
            program: folder + "/bin/ssh", "#!/bin/sh\nexec /usr/bin/ssh -F \(server.clientSettings) \"$@\"")
        environment = ["PATH": "\(folder)/bin:\(path)"]
    }

    var files: [String] {
        get throws {
            guard FileManager.default.fileExists(atPath: directory) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        }
    }

    func command(_ destination: String, givesToken: Bool = true) -> [String] {
        [BuiltFiles.helper, "share", "ssh", destination, "--confirm", "never"] + (givesToken ? ["--token"] : [])
    }

    /// Starts `share ssh`, and waits until it works on the remote machine.
    func share(
        _ fixture: EndToEndFixture, to destination: String = "devbox", _ options: [String] = [], givesToken: Bool = true
    ) async throws -> RunningProgram {
        let command = command(destination, givesToken: givesToken) + options
        let program = try fixture.start(command, environment: environment)
        try await program.shares()
        // The socket's fixed name appears just after the message.
        try await eventually("the name that stays") { try self.files.contains("socket") }
        return program
    }

    /// Runs the printed lines that configure git on the remote machine.
    func paste(_ share: RunningProgram) async throws {
        for line in share.outputText.split(separator: "\n") where line.hasPrefix("  git config ") {
            try await server.run(line.trimmingCharacters(in: .whitespaces)).succeeded()
        }
    }
}
