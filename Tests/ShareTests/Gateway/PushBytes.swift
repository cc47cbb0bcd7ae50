import Testing

@testable import Share

/// The beginning of a push, as git writes it.
enum PushBytes {
    static let zero = String(repeating: "0", count: 40)
    static let first = "3f2a1c9" + String(repeating: "1", count: 33)
    static let second = String(repeating: "b", count: 40)
    /// The capabilities of git 2.39.
    static let capabilities = " report-status-v2 side-band-64k object-format=sha1 agent=git/2.39.5"
    static let flush = Array("0000".utf8)

    static func packet(_ text: String) -> [UInt8] { packet(Array(text.utf8)) }

    static func packet(_ payload: [UInt8]) -> [UInt8] {
        let digits = String(payload.count + 4, radix: 16)
        return Array((String(repeating: "0", count: 4 - digits.count) + digits).utf8) + payload
    }

    /// Returns the pkt-lines of the commands, with the flush.
    static func commands(_ commands: [String], capabilities: String = capabilities) -> [UInt8] {
        var bytes: [UInt8] = []
        for (number, command) in commands.enumerated() {
            bytes += packet(number == 0 ? "\(command)\u{0}\(capabilities)" : command)
        }
        return bytes + flush
    }

    static func read(_ bytes: [UInt8]) throws -> Push {
        var (reader, input) = (PushReader(), bytes[...])
        return try reader.take(&input) ?? reader.finish()
    }

    static func create(_ ref: String) -> String { "\(zero) \(first) \(ref)" }
    static func update(_ ref: String) -> String { "\(second) \(first) \(ref)" }
    static func delete(_ ref: String) -> String { "\(first) \(zero) \(ref)" }

    static func signed(_ commands: [String], capabilities: String = capabilities) -> [UInt8] {
        let lines =
            ["certificate version 0.1", "pusher key 1700000000 +0000", "pushee http://x/", "nonce 1-2", ""] + commands
            + ["-----BEGIN SSH SIGNATURE-----", "AAAA", "-----END SSH SIGNATURE-----", "push-cert-end"]
        return packet("push-cert\u{0}\(capabilities)\n") + lines.flatMap { packet("\($0)\n") } + flush
    }
}
