import CredentialCore
import Foundation
import Staging

/// A server on loopback, in a process of its own, that answers with exactly the bytes it is told.
final class ScriptedServer {
    /// How it speaks below HTTP.
    enum Transport: String {
        /// TLS, with a certificate.
        case tls
        /// None: what a proxy speaks.
        case plain
        /// It accepts, and never says a word.
        case silent
        /// TLS, and a reset right after the handshake.
        case rude
        /// SOCKS 5.
        case socks
    }

    /// A piece of an answer; `scripted_server.py` says what each does.
    enum Step: Encodable {
        case send(String)
        case `repeat`(Int, String)
        case drip(secondsPerByte: Double, String)
        case tunnel
        case hang
        case close
        case reset

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            switch self {
            case .send(let text):
                try container.encode("send")
                try container.encode(text)
            case .repeat(let count, let text):
                try container.encode("repeat")
                try container.encode(count)
                try container.encode(text)
            case .drip(let seconds, let text):
                try container.encode("drip")
                try container.encode(seconds)
                try container.encode(text)
            case .tunnel: try container.encode("tunnel")
            case .hang: try container.encode("hang")
            case .close: try container.encode("close")
            case .reset: try container.encode("reset")
            }
        }
    }

    /// What it has seen.
    struct Record {
        /// Connections accepted.
        var connections = 0
        /// Requests read, header and body.
        var requests: [String] = []
    }

    /// What the script is told.
    private struct Options: Encodable {
        var transport: String
        var certificate: String
        var key: String
        var maximumVersion: String?
        var answers: [[Step]]

        enum CodingKeys: String, CodingKey {
            case transport, certificate, key, answers
            case maximumVersion = "maximum_version"
        }
    }

    /// Where it listens.
    let port: UInt16
    private let program: RunningProgram
    private let input: Lifeline

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - transport: how it speaks below HTTP.
    ///   - certificate: what it shows, if it speaks TLS.
    ///   - maximumVersion: "1.1" for a server that is too old.
    ///   - answers: one for each request, over all connections; the last one is repeated.
    /// - Throws: whatever prevents a server from starting.
    init(
        _ transport: Transport = .tls, certificate: TestCertificates.Kind = .good, maximumVersion: String? = nil,
        answers: [Step]...
    ) throws {
        let options = Options(
            transport: transport.rawValue, certificate: TestCertificates.certificate(certificate),
            key: TestCertificates.key, maximumVersion: maximumVersion, answers: answers.isEmpty ? [[.ok()]] : answers)
        guard let script = Bundle.module.path(forResource: "scripted_server", ofType: "py") else {
            throw CocoaError(.fileNoSuchFile)
        }
        input = try Lifeline()
        program = try RunningProgram(
            ["python3", "-W", "ignore", script, String(decoding: try JSONEncoder().encode(options), as: UTF8.self)],
            environment: ProcessInfo.processInfo.environment, input: input.programEnd)
        guard let port = UInt16(try program.firstLine().dropFirst("port ".count)) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        self.port = port
    }

    /// An address on this server.
    func address(_ path: String = "/") -> HTTPSAddress { HTTPSAddress(host: "127.0.0.1", port: port, path: path) }

    /// Ends the server.
    ///
    /// - Returns: what it has seen.
    func finish() throws -> Record {
        input.endInput()
        program.waitUntilEnded()
        var record = Record()
        for line in program.outputText.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "accepted" { record.connections += 1 }
            if words.first == "request", let bytes = Data(base64Encoded: String(words[1])) {
                record.requests.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        return record
    }
}

extension ScriptedServer.Step {
    /// A whole answer, status 200, after which the connection stays open.
    static func ok(_ body: String = "{}", headers: String = "") -> Self {
        .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }
}
