import Staging
import Testing

/// The windows of a keyring program on a virtual display, and the person who answers them (xdotool(1)).
struct KeyringWindows {
    private let session: Session
    private let display: String

    init(_ session: Session) {
        self.session = session
        display = session.environment["KEYRING_DISPLAY"] ?? ""
    }

    /// Environment variables for other programs on the same display.
    var environment: [String: String] { ["DISPLAY": display] }

    private func xdotool(_ arguments: String...) async throws -> String {
        try await session.run(["xdotool"] + arguments, environment: environment).output
    }

    /// The IDs of the windows whose title contains a text.
    func open(_ title: String) async throws -> [Substring] {
        try await xdotool("search", "--onlyvisible", "--name", title).split(separator: "\n")
    }

    /// Waits for a dialog, types a text into it and confirms it.
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

/// The Debian release that a keyring program comes from: this machine's own or another.
enum KeyringSystem: String, CaseIterable {
    case own, trixie, sid

    /// The release's name in the table.
    var name: String {
        switch self {
        case .own: WorldRow.machine
        case .trixie: "Debian 13"
        case .sid: "Debian sid"
        }
    }

    /// The root folder that Tests/World/newest.sh has made; `nil` for this machine.
    var folder: String? { self == .own ? nil : BuiltFiles.root + ".build/world/keyrings-" + rawValue }

    /// The version of a program's package; `nil` if the program is not installed.
    func version(of program: String, _ package: String) throws -> String? {
        let command =
            if let folder {
                "test -x \(folder)/usr/bin/\(program) && zcat \(folder)/usr/share/doc/\(package)/changelog.Debian.gz"
                    + " | sed -n '1s/.*(\\(.*\\)).*/\\1/p'"
            } else {
                // Ask the package: some of the programs print no version without a display.
                "command -v \(program) >/dev/null && dpkg-query --show --showformat '${Version}' \(package)"
            }
        let answer = try RunningProgram.run(["sh", "-c", command]).output
        let version = answer.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
        return version.isEmpty ? nil : String(version)
    }
}

/// A real keyring program, in a session of its own.
struct KeyringProgramFixture {
    let fixture: EndToEndFixture
    let windows: KeyringWindows
    private let name: String
    private let version: String
    private let system: KeyringSystem

    /// Starts gnome-keyring, KeePassXC or KWallet; if it is not installed, returns `nil` and reports a skip.
    static func start(
        _ name: String, _ options: [String] = [], of system: KeyringSystem, tried: String
    ) async throws -> KeyringProgramFixture? {
        let (script, programs) =
            switch name {
            case "KeePassXC": ("with-keepassxc.sh", [("keepassxc", system == .own ? "keepassxc" : "keepassxc-full")])
            case "KWallet":
                (
                    "with-kwallet.sh",
                    [("ksecretd", "kwallet6"), ("kwalletd6", "kwallet6"), ("kwalletd5", "libkf5wallet-bin")]
                )
            default: ("with-keyring.sh", [("gnome-keyring-daemon", "gnome-keyring")])
            }
        func notRun(for missing: String) -> KeyringProgramFixture? {
            WorldRow.notRun(.keyrings, name, on: system.name, tried: tried, because: "\(missing) is not installed")
            return nil
        }
        for needed in ["Xvfb", "xdotool"] {
            guard try RunningProgram.run(["sh", "-c", "command -v \(needed)"]).status == 0 else {
                return notRun(for: needed)
            }
        }
        let versions = try programs.compactMap { try system.version(of: $0.0, $0.1) }
        guard let version = versions.first else { return notRun(for: programs[0].0) }
        let suite = system.folder.map { ["--suite", $0] } ?? []
        // A GitHub App: its tokens expire, so that one can be refreshed.
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1), startedBy: [script] + suite + options)
        return KeyringProgramFixture(
            fixture: fixture, windows: KeyringWindows(fixture.session), name: name, version: version, system: system)
    }

    func held(_ tried: String, _ result: String) {
        WorldRow.add(.keyrings, name, version, on: system.name, tried: tried, result: result)
    }

    /// The command prefix that runs a program of the keyring's release.
    var program: [String] {
        (fixture.session.environment["KEYRING_PROGRAM"] ?? "").split(separator: " ").map { String($0) }
    }

    /// Runs an operation for a host without sign-in, as octocat.
    func plain(
        _ operation: String, _ password: String? = nil, program: String = BuiltFiles.helper,
        environment: [String: String] = [:], on terminal: PseudoTerminal? = nil
    ) throws -> RunningProgram {
        let lines =
            ["protocol=https", "host=plain.example", "username=octocat"] + (password.map { ["password=" + $0] } ?? [])
        return try fixture.start(
            [program, operation], environment: environment, input: lines.map { $0 + "\n" }.joined() + "\n",
            on: terminal)
    }

    /// The full program, which reads the keyring through libsecret.
    static var fullProgram: String { BuiltFiles.helper + "-full" }
    var password: String { fixture.session.environment["KEYRING_PASSWORD"] ?? "" }
}
