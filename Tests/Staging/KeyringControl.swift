import Foundation
import Synchronization

/// A running keyring-control.py in one session, which runs one command at a time.
final class KeyringControl: Sendable {
    /// A server process that forks one for each session: starting Python costs ten times as much as a command.
    private final class Server: Sendable {
        let path: String
        let program: RunningProgram
        private let input: Lifeline

        init() throws {
            input = try Lifeline()
            program = try RunningProgram(
                [BuiltFiles.script("keyring-control.py"), "serve"], environment: ProcessInfo.processInfo.environment,
                input: input.programEnd)
            path = try program.firstLine()
        }
    }

    /// The commands that were sent, and their answers, in the same order.
    private struct Talk {
        var asked = 0
        var answers: [String] = []
        var rest: [UInt8] = []
    }

    private static let server = Result { try Server() }
    private let connection: SocketClient
    private let talk = Mutex(Talk())

    init(_ environment: [String: String]) throws {
        connection = try SocketClient(to: Self.server.get().path)
        send(try JSONSerialization.data(withJSONObject: environment))
    }

    /// Whether the process still runs: it ends with its bus.
    var isRunning: Bool { connection.isOpen }
    private func send(_ line: Data) { connection.send(Array(line) + [0x0a]) }

    func run(_ arguments: [String], input: String) async throws -> String {
        let question = try JSONSerialization.data(withJSONObject: [arguments, input])
        let number = talk.withLock { talk in
            send(question)
            talk.asked += 1
            return talk.asked
        }
        let what = "keyring-control \(arguments)"
        let answer = try await eventually(what) {
            // Check for the end first, so that the last output is not missed.
            let hasEnded = !isRunning
            let answer = talk.withLock { talk in
                receive(&talk)
                return talk.answers.count >= number ? talk.answers[number - 1] : nil
            }
            guard answer != nil || !hasEnded else {
                throw NeverHappened(description: "\(what): \(try Self.server.get().program.errorText)")
            }
            return answer
        }
        let parts = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [Any]
        guard parts?.first as? Int == 0, let output = parts?.last as? String else {
            throw NeverHappened(description: "\(what): \(answer)")
        }
        return output
    }

    private func receive(_ talk: inout Talk) {
        while let bytes = connection.received(atMost: 65_536) { talk.rest += bytes }
        while let end = talk.rest.firstIndex(of: 0x0a) {
            talk.answers.append(String(decoding: talk.rest[..<end], as: UTF8.self))
            talk.rest.removeSubrange(...end)
        }
    }
}

/// An item of the keyring, as `keyring-control.py items` prints it.
package struct KeyringItem: Codable, Equatable {
    /// The text that password managers show.
    package let label: String
    /// The attributes to find the item by; readable even while the keyring is locked.
    package let attributes: [String: String]
    /// The secret, or `nil` if the item is locked.
    package let secret: String?

    package init(label: String, attributes: [String: String], secret: String?) {
        self.label = label
        self.attributes = attributes
        self.secret = secret
    }

    /// An item as gitspace writes it for a token, with times in seconds since 1970.
    package init(
        host: String, login: String, password: String, expiry: Int? = nil, refreshToken: String? = nil,
        clientID: String? = nil, issued: Int? = nil, since: Int? = nil
    ) {
        let fields: [(String, String?)] = [
            ("password_expiry_utc", expiry.map(String.init)), ("oauth_refresh_token", refreshToken),
            ("gitspace_client_id", clientID), ("gitspace_issued", issued.map(String.init)),
            ("gitspace_since", since.map(String.init)),
        ]
        let lines = fields.compactMap { name, value in value.map { "\(name)=\($0)" } }
        self.init(host: host, login: login, lines: [password] + lines)
    }

    /// An item as gitspace and git's own helper write it, with these lines in its secret.
    package init(host: String, login: String, lines: [String]) {
        let place = host.split(separator: ":")
        var attributes = [
            "xdg:schema": "org.git.Password", "protocol": "https", "server": String(place[0]), "user": login,
        ]
        if place.count > 1 { attributes["port"] = String(place[1]) }
        self.init(label: "Git: https://\(host)/", attributes: attributes, secret: lines.joined(separator: "\n"))
    }

    package var password: String { lines.first ?? "" }

    /// The value of another line of the secret, such as `oauth_refresh_token`.
    package subscript(key: String) -> String? {
        lines.dropFirst().first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    /// A copy whose token expires at this time, in seconds since 1970, and that lacks the time of issue.
    package func ending(at expiry: Int) -> KeyringItem {
        let rest = lines.filter { !$0.hasPrefix("password_expiry_utc=") && !$0.hasPrefix("gitspace_issued=") }
        let secret = (rest + ["password_expiry_utc=\(expiry)"]).joined(separator: "\n")
        return KeyringItem(label: label, attributes: attributes, secret: secret)
    }

    private var lines: [String] {
        (secret ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
