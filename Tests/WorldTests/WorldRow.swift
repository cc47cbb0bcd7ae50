import Foundation
import Glibc
import Staging

/// A row of Tests/World/tried.jsonl: a real program, and what came of trying it.
///
/// Tests/World/table.py writes docs/clients.md from all rows. A result has no time, port, process or temporary path, so
/// that each run writes the same page; a result that a test has timed says "in time". A result that works has that word,
/// which the page shows as the result of the whole program.
struct WorldRow: Codable {
    /// Which part of the tests; the table has them in this order.
    enum Part: String, Codable {
        case browsers
        case clients
        case hosts
        case keyrings
        case sessions
        case share
    }

    private let part: Part
    private let program: String
    private let version: String
    private let system: String
    private let tried: String
    private let result: String

    /// Adds what was tried and has held: called behind the expectations.
    ///
    /// - Parameters:
    ///   - part: Which part of the tests.
    ///   - program: As people call it.
    ///   - version: As it says itself, without anything else.
    ///   - system: Where it ran, if not on this machine.
    ///   - tried: What was done, in a few words.
    ///   - result: What came of it. Results of the same attempt stand in one line, so each names its circumstances.
    static func add(
        _ part: Part, _ program: String, _ version: String, on system: String = machine, tried: String, result: String
    ) {
        WorldRow(part: part, program: program, version: version, system: system, tried: tried, result: result).write()
    }

    /// Adds what could not be tried on this machine, and says so in the output.
    static func notRun(
        _ part: Part, _ program: String, on system: String = machine, tried: String, because reason: String
    ) {
        add(part, program, "", on: system, tried: tried, result: "not run: \(reason)")
        Skipped.note("\(program): \(tried)", because: reason)
    }

    /// This machine's: `Debian 12`.
    static let machine: String = {
        let lines = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))?.split(separator: "\n") ?? []
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix(name + "=") }.map { $0.dropFirst(name.count + 1).filter { $0 != "\"" } }
        }
        let name = value("ID").map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? "Linux"
        return [name, value("VERSION_ID") ?? value("VERSION_CODENAME") ?? ""].joined(separator: " ")
    }()

    /// In one write(2) to a file that is only appended to, so that rows of several tests do not mix.
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
