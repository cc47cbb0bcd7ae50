import Staging
import Testing

/// A row of Tests/World/tried.jsonl: one use of a real program, and the result.
///
/// Tests/World/table.py makes docs/clients.md from all rows. A result has no time, port, process ID or temporary path,
/// so that each run makes the same page; a result with a measured limit says "in time". The result of a use that works
/// contains that word, which the page shows for the whole program.
struct WorldRow: Codable {
    /// The parts of the tests, in the order of the table.
    enum Part: String, Codable { case browsers, clients, hosts, keyrings, sessions, share }

    private let part: Part
    private let program: String
    private let version: String
    private let system: String
    private let tried: String
    private let result: String

    /// Adds a result that has held; called after the expectations.
    ///
    /// The program has the name that people write, and `tried` tells its use in a few words. Results of the same use
    /// share a line, so each names its conditions.
    static func add(
        _ part: Part, _ program: String, _ version: String, on system: String = machine, tried: String, result: String
    ) { WorldRow(part: part, program: program, version: version, system: system, tried: tried, result: result).write() }

    /// Adds a row for a use that is impossible on this machine, and reports a skip.
    static func notRun(
        _ part: Part, _ program: String, on system: String = machine, tried: String, because reason: String
    ) {
        add(part, program, "", on: system, tried: tried, result: "not run: \(reason)")
        Skipped.note("\(program): \(tried)", because: reason)
    }

    /// This machine's system: `Debian 12`.
    static let machine: String = {
        let lines = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))?.split(separator: "\n") ?? []
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix(name + "=") }.map { $0.dropFirst(name.count + 1).filter { $0 != "\"" } }
        }
        let name = value("ID").map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? "Linux"
        return [name, value("VERSION_ID") ?? value("VERSION_CODENAME") ?? ""].joined(separator: " ")
    }()

    /// Appends the row with one write(2), so that rows of parallel tests do not mix.
    private func write() {
        guard let path = ProcessInfo.processInfo.environment["GITSPACE_TEST_WORLD_ROWS"] else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(self) else { return }
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = Array(line + [UInt8(ascii: "\n")]).withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    }
}

// Each part has a folder with its name; `Tests/World/world.sh clients` runs the part `Clients`.

/// Browsers for the sign-in: Chromium, Firefox.
@Suite("Browsers") enum Browsers {}

/// Programs that ask git's helpers: git of several ages, git-lfs, cargo, go, pip.
@Suite("Clients") enum Clients {}

/// Real keyrings: gnome-keyring, KeePassXC, KWallet.
@Suite("Keyrings") enum Keyrings {}

/// Places to run git: over ssh, in tmux, in screen, from cron.
@Suite("Sessions") enum Sessions {}

/// Targets to share a sign-in with: namespaces of container engines, and machines behind ssh.
@Suite("Share") enum Share {}

/// Real git hosts and token issuers.
@Suite("Hosts") enum Hosts {}
