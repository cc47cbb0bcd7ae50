import Staging

/// User 2000, who shares a password kept in git's cache daemon: the keyring belongs to the user of the tests.
final class Person: Sendable {
    static let answer = "username=mona\npassword=typed\n"
    let home: String
    let program: RunningProgram
    private let session: Session
    private let host: String
    private let folder: String
    private let command: [String]
    private let environment: [String: String]

    /// Shares `answer` as `box`; if that is `nil`, shares the sign-in that the files of the home `model` configure.
    init(
        host: String = "ghe.test", answer: String? = Person.answer, home model: String? = nil,
        options: [String] = ["--token", "--long-lived"]
    ) async throws {
        self.host = host
        session = try await Session(.noBus)
        folder = FileManager.default.temporaryDirectory.appending(path: "person-\(UUID().uuidString.prefix(8))").path
        home = folder + "/home"
        // Copies the programs, since user 2000 may not be able to read the build folder.
        let prepare = """
            mkdir -p -m 0755 "$0" "$0/bin" && mkdir -m 0700 "$0/home" "$0/home/run" && chown -R 2000:2000 "$0/home"
            cp "$1" "$1-full" "$0/bin/"
            [ -z "$2" ] || for file in .gitconfig authority.pem app.pem; do
                sed "s|$2|$0/home|g" "$2/$file" >"$0/home/$file" && chmod 600 "$0/home/$file"
                chown 2000:2000 "$0/home/$file"
            done
            """
        try await session.run(["sh", "-c", prepare, folder, BuiltFiles.helper, model ?? ""]).succeeded()
        environment = [
            "PATH": session.path(folder + "/bin"), "HOME": home, "XDG_RUNTIME_DIR": home + "/run",
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.gitspaceStore", "GIT_CONFIG_VALUE_0": "cache",
            "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
        ]
        command = ["git-credential-gitspace", "share", "box", "--host", host] + options
        if let answer {
            let request = try UnnamedFile(contents: Array("protocol=https\nhost=\(host)\n\(answer)".utf8))
            try await RunningProgram(
                Self.asPerson(["git-credential-gitspace", "store"]), environment: environment,
                input: request.descriptor, surroundings: request
            ).ended().succeeded()
        }
        program = try await Self.share(command, environment)
    }

    deinit {
        program.signal(SIGTERM)
        program.waitUntilEnded()
        _ = try? RunningProgram.run(Self.asPerson(["git", "credential-cache", "exit"]), environment: environment)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs `share` again for the target.
    func share() async throws -> RunningProgram { try await Self.share(command, environment) }

    private static func share(_ command: [String], _ environment: [String: String]) async throws -> RunningProgram {
        let nothing = try UnnamedFile(contents: [])
        let program = try RunningProgram(
            asPerson(command), environment: environment, input: nothing.descriptor, surroundings: nothing)
        try await program.shares()
        return program
    }

    private static func asPerson(_ command: [String]) -> [String] {
        ["setpriv", "--reuid=2000", "--regid=2000", "--clear-groups"] + command
    }

    /// Runs a program as root, outside the container.
    func run(_ command: [String]) async throws -> RunningProgram.End { try await session.run(command) }

    /// Starts a program as root, outside the container.
    func start(_ command: [String]) throws -> RunningProgram {
        try session.start(command, input: "protocol=https\nhost=\(host)\n")
    }
}
