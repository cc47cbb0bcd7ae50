import Staging
import Testing

/// A program that gets credentials from git's helpers, and one way to use it.
struct Client: Sendable, CustomTestStringConvertible {
    /// The program's name as people write it.
    let program: String
    /// The way it is used, in a few words for the table.
    let tried: String
    /// The program's version; `nil` if it is not on this machine.
    let version: String?
    /// The reason for its absence, and how to install it.
    var absence = "it is not installed"
    /// Whether a person at its terminal was seen to sign in; uv, for one, tells git to ask nobody.
    var signsInAtTerminal = true
    var git = Git.system
    /// Whether the host needs a name without a port.
    var needsNamedHost = false
    /// Prepares the server and the home folder.
    var prepare: @Sendable (EndToEndFixture) async throws -> Void = { _ in }
    var environment: @Sendable (EndToEndFixture) -> [String: String] = { _ in [:] }
    /// Variables for a run with a person at a terminal.
    var personsEnvironment: [String: String] = [:]
    /// The program's own error without a token and a person; `nil` if it shows ours.
    var ownError: String?
    /// A shell script, run in an empty folder, that succeeds if everything was fetched; HOST becomes the fixture's host.
    let script: String
    var testDescription: String { "\(program) \(version ?? "(missing)"): \(tried)" }

    /// A fixture for this client; a named host has a name of its own, since locks belong to the machine.
    func fixture(session: Session.Kind = .keyring) async throws -> EndToEndFixture {
        let host = needsNamedHost ? "\(UUID().uuidString.prefix(8).lowercased()).ghe.com" : nil
        let app = Service.gitHub.refreshingApp(interval: 1)
        let fixture = try await EndToEndFixture(git: git, host: host, app: app, session: session)
        try await prepare(fixture)
        return fixture
    }

    /// Starts the script, or another one, in a new folder.
    func start(
        with fixture: EndToEndFixture, on terminal: PseudoTerminal? = nil, script other: String? = nil
    ) throws -> RunningProgram {
        let folder = fixture.session.home + "/run-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let extra = terminal == nil ? [:] : personsEnvironment
        let environment = environment(fixture).merging(extra) { $1 }
        let script = (other ?? script).replacing("HOST", with: fixture.host)
        return try fixture.start(["sh", "-euc", script], in: folder, environment: environment, on: terminal)
    }

    /// Whether it is on this machine; if not, reports a skip and adds a row.
    func isHere() -> Bool {
        if version == nil { WorldRow.notRun(.clients, program, tried: tried, because: absence) }
        return version != nil
    }

    func held(_ circumstances: String, _ result: String) {
        WorldRow.add(.clients, program, version ?? "", tried: tried, result: "\(circumstances): \(result)")
    }

    /// The first number with a point in a program's version output; `nil` if it cannot be run.
    static func version(_ program: String...) -> String? {
        guard let end = try? RunningProgram.run(program), end.status == 0 else { return nil }
        return end.output.firstMatch(of: /[0-9]+(\.[0-9]+)+/).map { String($0.output.0) }
    }
}
