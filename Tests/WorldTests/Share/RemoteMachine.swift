import Staging

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

    /// The names of the files in the remote directory.
    var files: [String] {
        get throws {
            guard FileManager.default.fileExists(atPath: directory) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        }
    }

    /// The command line that shares with this machine.
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
