import Staging

/// A person's session with a git configured for one host, which is a real server program.
struct RealHost {
    /// The host as it appears in addresses: `localhost:PORT`.
    let host: String
    let session: Session
    let git: Git

    /// Configures git for the host; the repository is `acme/private`, and no account is signed in.
    ///
    /// The files of `authorities` signed for the host and its issuer; `settings` are lines of the host's configuration
    /// section, and `more` lines of other sections.
    init(_ host: String, authorities: [String], git: Git, settings: String = "", more: String = "") async throws {
        (self.host, self.git) = (host, git)
        session = try await Session()
        let authority = session.home + "/authority.pem"
        let trusted = try authorities.reduce(Data()) { try $0 + Data(contentsOf: URL(filePath: $1)) }
        try trusted.write(to: URL(filePath: authority))
        let configuration = """
            [http]
            sslCAInfo = \(authority)
            [credential]
            helper = \(BuiltFiles.helperValue)
            [credential "https://\(host)"]
            \(settings)
            \(more)

            """
        try configuration.write(to: session.home + "/.gitconfig")
    }

    var repository: String { "https://\(host)/acme/private.git" }

    func start(
        _ arguments: [String], environment: [String: String] = [:], on terminal: PseudoTerminal? = nil
    ) throws -> RunningProgram {
        let path = git.folder.map { ["PATH": session.path($0)] } ?? [:]
        return try session.start(arguments, environment: path.merging(environment) { $1 }, on: terminal)
    }

    func git(
        _ arguments: String..., environment: [String: String] = [:], on terminal: PseudoTerminal? = nil
    ) async throws -> RunningProgram.End {
        try await start(["git"] + arguments, environment: environment, on: terminal).ended()
    }

    func verb(_ arguments: String...) async throws -> RunningProgram.End {
        try await start([BuiltFiles.helper] + arguments).ended()
    }

    /// Clones on a terminal, with a person who approves the code.
    func clone(approving: (String) async throws -> Void) async throws -> (end: RunningProgram.End, screen: String) {
        let terminal = try PseudoTerminal(columns: 200)
        let clone = try start(["git", "clone", repository, "clone"], on: terminal)
        try await approving(terminal.signInCode(of: clone))
        return (try await clone.ended(), terminal.screen)
    }
}
