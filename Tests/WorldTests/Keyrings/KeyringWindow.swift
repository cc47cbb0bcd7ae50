import Foundation
import Staging
import StandIn
import Testing

/// The windows of a keyring program, on the display that nobody sees, and the person who answers them (xdotool(1)).
struct KeyringWindows {
    private let session: Session
    private let display: String

    /// The windows of a session's keyring.
    init(_ session: Session) {
        self.session = session
        display = session.environment["KEYRING_DISPLAY"] ?? ""
    }

    /// What a program finds in its environment that runs on the same display.
    var environment: [String: String] { ["DISPLAY": display] }

    private func xdotool(_ arguments: String...) async throws -> String {
        try await session.run(["xdotool"] + arguments, environment: environment).output
    }

    /// The windows whose title has a text, by their numbers.
    func open(_ title: String) async throws -> [Substring] {
        try await xdotool("search", "--onlyvisible", "--name", title).split(separator: "\n")
    }

    /// Waits for a dialog, types into it and confirms it.
    func answer(_ title: String, typing text: String = "") async throws {
        let end = ContinuousClock.now + .seconds(60)
        var window: Substring?
        while window == nil, ContinuousClock.now < end { window = try await open(title).last }
        let found = String(try #require(window, "no dialog \(title)"))
        _ = try await xdotool("windowfocus", "--sync", found)
        if !text.isEmpty { _ = try await xdotool("type", "--delay", "5", text) }
        _ = try await xdotool("key", "Return")
    }
}

/// A real keyring program, in a session of its own.
struct KeyringProgramFixture {
    let fixture: EndToEndFixture
    let windows: KeyringWindows
    private let name: String
    private let version: String

    /// Starts KeePassXC; nil, and said so, where it is not there.
    static func keePassXC(_ options: String..., tried: String) async throws -> KeyringProgramFixture? {
        try await start("KeePassXC", "keepassxc", ["with-keepassxc.sh"] + options, tried)
    }

    /// Starts KWallet; nil, and said so, where it is not there.
    static func kwallet(_ options: String..., tried: String) async throws -> KeyringProgramFixture? {
        try await start("KWallet", "kwalletd5", ["with-kwallet.sh"] + options, tried)
    }

    private static func start(
        _ name: String, _ program: String, _ runner: [String], _ tried: String
    ) async throws -> KeyringProgramFixture? {
        for needed in [program, "Xvfb", "xdotool"] {
            guard try RunningProgram.run(["sh", "-c", "command -v \(needed)"]).status == 0 else {
                WorldRow.notRun(.keyrings, name, tried: tried, because: "\(needed) is not installed")
                return nil
            }
        }
        // GitHub Apps' tokens end, so that one can be refreshed.
        let fixture = try await EndToEndFixture(
            app: .gitHubApp(interval: 1), startedBy: runner)
        // Neither says its version without a display.
        let package = name == "KWallet" ? "libkf5wallet-bin" : "keepassxc"
        let answer = try RunningProgram.run(["dpkg-query", "--show", "--showformat", "${Version}", package]).output
        let version = answer.prefix { $0.isNumber || $0 == "." }
        return KeyringProgramFixture(
            fixture: fixture, windows: KeyringWindows(fixture.session), name: name, version: String(version))
    }

    private init(fixture: EndToEndFixture, windows: KeyringWindows, name: String, version: String) {
        self.fixture = fixture
        self.windows = windows
        self.name = name
        self.version = version
    }

    /// Adds what has held to the table.
    func held(_ tried: String, _ result: String) {
        WorldRow.add(.keyrings, name, version, tried: tried, result: result)
    }

    /// Lets git ask the helper about a host where nobody signs in, as octocat.
    func plain(
        _ operation: String, _ password: String? = nil, program: String = BuiltFiles.helper,
        environment: [String: String] = [:], terminal: RunningProgram.Terminal = .none
    ) throws -> RunningProgram {
        let lines =
            ["protocol=https", "host=plain.example", "username=octocat"] + (password.map { ["password=" + $0] } ?? [])
        return try fixture.start(
            [program, operation], environment: environment, input: lines.map { $0 + "\n" }.joined() + "\n",
            terminal: terminal)
    }

    /// The full program, which asks the keyring through libsecret.
    static var fullProgram: String { BuiltFiles.helper + "-full" }

    /// The password of the database or wallet.
    var password: String { fixture.session.environment["KEYRING_PASSWORD"] ?? "" }
}
