import Foundation
import Staging
import StandIn

/// A person's session, with a git that knows one host: a program that nobody here wrote.
struct RealHost {
    /// As it stands in addresses: `localhost:PORT`.
    let host: String
    let session: Session
    let git: Git

    /// Prepares it; `acme/private` is there, and nobody is signed in.
    ///
    /// - Parameters:
    ///   - host: as it stands in addresses.
    ///   - authorities: the files of the authorities that sign for it and for its issuer.
    ///   - git: the git to use.
    ///   - settings: lines of git's configuration for the host.
    ///   - more: lines of other sections.
    /// - Throws: `NeverHappened` if there is no session.
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
        try Data(configuration.utf8).write(to: URL(filePath: session.home + "/.gitconfig"))
    }

    var repository: String { "https://\(host)/acme/private.git" }

    /// Starts git, or the program itself.
    func start(
        _ arguments: [String], environment: [String: String] = [:], terminal: RunningProgram.Terminal = .none
    ) throws -> RunningProgram {
        let path = git.folder.map { ["PATH": session.path($0)] } ?? [:]
        return try session.start(arguments, environment: path.merging(environment) { $1 }, terminal: terminal)
    }

    /// Runs git, without a terminal unless one is given, to its end.
    func git(
        _ arguments: String..., environment: [String: String] = [:], on terminal: PseudoTerminal? = nil
    ) async throws -> RunningProgram.End {
        let terminal = terminal.map { RunningProgram.Terminal.standardError($0) } ?? .none
        return try await start(["git"] + arguments, environment: environment, terminal: terminal).ended()
    }

    /// Runs the program itself.
    func verb(_ arguments: String...) async throws -> RunningProgram.End {
        try await start([BuiltFiles.helper] + arguments).ended()
    }

    /// Clones on a terminal, where a person approves the code.
    func clone(approving: (String) async throws -> Void) async throws -> (end: RunningProgram.End, screen: String) {
        let terminal = try PseudoTerminal(columns: 200)
        let clone = try start(["git", "clone", repository, "clone"], terminal: .standardError(terminal))
        try await approving(terminal.signInCode(of: clone))
        return (try await clone.ended(), terminal.screen)
    }
}
