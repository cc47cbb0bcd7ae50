import Foundation
import Staging
import StandIn
import Testing

/// A program that gets its tokens from git's credential helpers, and a way to try it.
struct Client: Sendable, CustomTestStringConvertible {
    /// What people call it.
    let program: String
    /// What it is tried with, in a few words.
    let tried: String
    /// As it says itself; nil if it is not on this machine.
    let version: String?
    /// Why it is not, and how to get it.
    var absence = "it is not installed"
    /// The git that it finds.
    var git = Git.system
    /// Whether the host has a name, for programs that take no port.
    var needsNamedHost = false
    /// What is on the server and at home before it is run.
    var prepare: @Sendable (EndToEndFixture) async throws -> Void = { _ in }
    /// Further variables.
    var environment: @Sendable (EndToEndFixture) -> [String: String] = { _ in [:] }
    /// What else is said to it where a person is.
    var personsEnvironment: [String: String] = [:]
    /// What it says where there is no token and nobody; nil if it lets our own words through.
    var ownError: String?
    /// A shell script, run in a folder of its own, that succeeds if all has come.
    let script: @Sendable (EndToEndFixture) throws -> String

    var testDescription: String { "\(program) \(version ?? "(missing)"): \(tried)" }

    /// A host that has it all for this client: a name of its own where one is needed, since locks are the machine's.
    func fixture(session: Session.Kind = .keyring) async throws -> EndToEndFixture {
        let host = needsNamedHost ? "\(UUID().uuidString.prefix(8).lowercased()).ghe.com" : nil
        let app = Service.gitHub.refreshingApp(interval: 1)
        let fixture = try await EndToEndFixture(git: git, host: host, app: app, session: session)
        try await prepare(fixture)
        return fixture
    }

    /// Starts it in a new folder, or another script in its place.
    func start(
        on fixture: EndToEndFixture, terminal: RunningProgram.Terminal = .none, script other: String? = nil
    ) throws -> RunningProgram {
        let folder = fixture.session.home + "/run-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let extra = terminal.terminal == nil ? [:] : personsEnvironment
        let environment = environment(fixture).merging(extra) { $1 }
        return try fixture.start(
            ["sh", "-euc", try other ?? script(fixture)], in: folder, environment: environment, terminal: terminal)
    }

    /// Whether it is on this machine; a row and a line of the output say so if it is not.
    func isHere() -> Bool {
        if version == nil { WorldRow.notRun(.clients, program, tried: tried, because: absence) }
        return version != nil
    }

    /// Adds a row of what has held.
    func held(_ circumstances: String, _ result: String) {
        WorldRow.add(.clients, program, version ?? "", tried: tried, result: "\(circumstances): \(result)")
    }

    /// The first number with a point in what a program says of its version; nil if it cannot be run.
    static func version(_ program: String...) -> String? {
        guard let end = try? RunningProgram.run(program), end.status == 0 else { return nil }
        return end.output.firstMatch(of: /[0-9]+(\.[0-9]+)+/).map { String($0.output.0) }
    }
}
