import Foundation
import Staging
import StandIn

/// A machine behind ssh, with a home of its own and no keyring; its sshd is as it comes from OpenSSH.
final class RemoteMachine: Sendable {
    /// Its sshd.
    let server: SSHServer
    /// Where its sockets are.
    let directory: String
    /// What leads `ssh` to it: a program of that name, since ssh reads its settings from the home that passwd(5) has.
    let environment: [String: String]

    init(
        _ fixture: EndToEndFixture, hasRuntime: Bool = true, settings: String = "", client: String = ""
    ) async throws {
        let folder = fixture.session.home + "/remote"
        let home = folder + "/home"
        directory = home + (hasRuntime ? "/run/gitspace" : "/.cache/gitspace")
        let made = try await fixture.session.run([
            "sh", "-c", "mkdir -p \"$0/bin\" \"$0/home/run\" && chmod 700 \"$0/home/run\"", folder,
        ])
        guard made.status == 0 else { throw NeverHappened(description: "a home: \(made.errors)") }
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

    /// What is in its directory.
    var files: [String] {
        get throws {
            guard FileManager.default.fileExists(atPath: directory) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        }
    }

    /// The command that shares with it.
    func command(_ destination: String, givesToken: Bool = true) -> [String] {
        [BuiltFiles.helper, "share", "ssh", destination, "--confirm", "never"] + (givesToken ? ["--token"] : [])
    }

    /// Shares, and waits until it can be used there.
    func share(
        _ fixture: EndToEndFixture, to destination: String = "devbox", _ options: [String] = [],
        terminal: PseudoTerminal? = nil, givesToken: Bool = true
    ) async throws -> RunningProgram {
        let command = command(destination, givesToken: givesToken) + options
        let program =
            try terminal.map {
                try fixture.start(command, environment: environment, terminal: .standardError($0))
            } ?? fixture.start(command, environment: environment)
        try await eventually("sharing: \(program.errorText)", by: program) {
            program.outputText.contains("To stop, press Ctrl-C.\n") ? true : nil
        }
        // What it leaves behind it makes just afterwards.
        try await eventually("the name that stays") { try self.files.contains("socket") ? true : nil }
        return program
    }
}
