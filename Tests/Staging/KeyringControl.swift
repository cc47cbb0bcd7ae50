import Foundation
import Glibc
import Synchronization

/// keyring-control.py, which does one thing after the other: to start costs ten times as much as to act.
final class KeyringControl: Sendable {
    /// What it has been asked, and what it has answered, in that order.
    private struct Talk {
        var asked = 0
        var answers: [String] = []
        var rest: [UInt8] = []
    }

    private let program: RunningProgram
    private let ownEnd: Int32
    private let talk = Mutex(Talk())

    /// Starts it in a session.
    init(_ environment: [String: String]) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw NeverHappened(description: "no pair of sockets: error \(errno)")
        }
        defer { close(ends[1]) }
        ownEnd = ends[0]
        program = try RunningProgram(
            [BuiltFiles.script("keyring-control.py"), "serve"], environment: environment, input: ends[1],
            standardOutput: ends[1])
    }

    deinit { close(ownEnd) }

    /// Whether it can still be asked: it ends with its bus.
    var isRunning: Bool { program.isRunning }

    /// Has it do something.
    ///
    /// - Throws: `NeverHappened` if it failed.
    func run(_ arguments: [String], input: String) async throws -> String {
        let question = try Array(JSONSerialization.data(withJSONObject: [arguments, input])) + [0x0a]
        let number = talk.withLock { talk in
            var rest = question[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(ownEnd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            talk.asked += 1
            return talk.asked
        }
        let answer = try await eventually("keyring-control \(arguments): \(program.errorText)", by: program) {
            talk.withLock { talk in
                receive(&talk)
                return talk.answers.count >= number ? talk.answers[number - 1] : nil
            }
        }
        let parts = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [Any]
        guard parts?.first as? Int == 0, let output = parts?.last as? String else {
            throw NeverHappened(description: "keyring-control \(arguments): \(answer)")
        }
        return output
    }

    private func receive(_ talk: inout Talk) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(ownEnd, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
            talk.rest += buffer[..<count]
        }
        while let end = talk.rest.firstIndex(of: 0x0a) {
            talk.answers.append(String(decoding: talk.rest[..<end], as: UTF8.self))
            talk.rest.removeSubrange(...end)
        }
    }
}
