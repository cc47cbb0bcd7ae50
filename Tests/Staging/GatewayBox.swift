import Foundation
internal import StandIn

/// A gateway to a fixture's host, and a container-like home behind it.
///
/// Its git finds only the folder that would be mounted: not the session, not the stand-in's certificate, not the way to
/// the stand-in.
package final class GatewayBox: Sendable {
    package let box: SharedBox
    package let home: String
    private let environment: [String: String]
    private let fixture: EndToEndFixture

    /// Starts sharing as "agent", and waits until the gateway answers.
    package convenience init(_ fixture: EndToEndFixture, _ options: String...) async throws {
        let host = options.contains("--repository") || options.contains("--host") ? [] : ["--host", fixture.host]
        try self.init(
            try await SharedBox(
                fixture.start([BuiltFiles.helper, "share", "agent"] + host + options), name: "agent", in: fixture),
            fixture)
    }

    /// A place behind a share that is there.
    package init(_ box: SharedBox, _ fixture: EndToEndFixture) throws {
        self.fixture = fixture
        self.box = box
        home = fixture.session.home + "/place"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        // Nothing is mounted here: replace the container's path of the folder by its real path.
        let written = try String(contentsOfFile: box.directory + "/gitconfig", encoding: .utf8)
        let folder = box.directory.replacing("/", with: "%2F")
        let place = written.replacing("localhost%2Frun%2Fgitspace%2F", with: "localhost\(folder)%2F")
        try place.write(to: home + "/gateway")
        let path = fixture.session.environment["PATH"] ?? ""
        environment = [
            "PATH": fixture.git.folder.map { "\($0):\(path)" } ?? path, "HOME": home, "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "include.path", "GIT_CONFIG_VALUE_0": home + "/gateway", "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.test", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.test",
        ]
    }

    /// Starts a shell script in the container.
    package func start(_ script: String, in folder: String? = nil) throws -> RunningProgram {
        let nothing = try UnnamedFile(contents: [])
        return try RunningProgram(
            ["sh", "-c", "set -e\n" + script], environment: environment, in: folder ?? home,
            input: nothing.descriptor, surroundings: nothing)
    }

    package func run(_ script: String, in folder: String? = nil) async throws -> RunningProgram.End {
        try await start(script, in: folder).ended()
    }

    /// Clones the repository into `work`, and returns the box itself.
    @discardableResult
    package func clone() async throws -> GatewayBox {
        try await run("git clone --quiet \(fixture.address()) work").succeeded()
        return self
    }

    /// Commits, and pushes to a ref.
    package func push(to ref: String, _ options: String = "") async throws -> RunningProgram.End {
        try await run("git commit --quiet --allow-empty -m change && git push \(options) origin HEAD:\(ref)", in: work)
    }

    package var work: String { home + "/work" }

    package func logs(_ words: String) async throws {
        try await eventually("\(words) in \(log)", by: box.program) { log.contains { $0.contains(words) } }
    }

    package func connectionProcess() async throws -> Int32 {
        let id = box.program.id
        return try await eventually("a process of a connection", by: box.program) {
            let children = try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
            return children.split(separator: " ").first.flatMap { Int32($0) }
        }
    }

    /// The lines that the sharing process has printed.
    package var log: [String] { box.program.outputText.split(separator: "\n").map(String.init) }
}
