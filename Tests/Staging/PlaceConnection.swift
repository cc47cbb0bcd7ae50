/// One connection of a place to its gateway, as libcurl would make it; what is sent in it is the test's own.
package final class PlaceConnection: Sendable {
    package let client: SocketClient
    private let host: String

    /// Connects, and is led to the gateway.
    package convenience init(to box: SharedBox, host: String) async throws {
        try await self.init(at: box.socket, host: host)
    }

    package init(at socket: String, host: String) async throws {
        client = try SocketClient(to: socket)
        self.host = host
        client.send([5, 1, 0])
        client.send([5, 1, 0, 3, 16] + Array("gitspace.invalid".utf8) + [0, 80])
        _ = try await client.received(12)
    }

    package func discover(_ service: String = "git-upload-pack", in repository: String = "acme/private") {
        client.send(
            Array(
                "GET /\(host)/\(repository)/info/refs?service=\(service) HTTP/1.1\r\nHost: gitspace.invalid\r\n\r\n"
                    .utf8))
    }

    /// Sends a body to a service, as many bytes of it as are said to come, or fewer.
    package func post(_ body: [UInt8], to service: String, in repository: String = "acme/private", length: Int? = nil) {
        let head = [
            "POST /\(host)/\(repository)/\(service) HTTP/1.1", "Host: gitspace.invalid",
            "Content-Type: application/x-\(service)-request", "Content-Length: \(length ?? body.count)", "", "",
        ]
        client.send(Array(head.joined(separator: "\r\n").utf8) + body)
    }

    /// The commands of a push, with the flush behind them.
    package static func push(_ commands: [String], capabilities: String = "report-status") -> [UInt8] {
        commands.enumerated().flatMap { number, command in
            packet(number == 0 ? "\(command)\u{0}\(capabilities)" : command)
        } + Array("0000".utf8)
    }

    package static func deletion(of ref: String, at id: String) -> String {
        "\(id) \(String(repeating: "0", count: id.utf8.count)) \(ref)"
    }

    package static func packet(_ text: String) -> [UInt8] {
        let digits = String(text.utf8.count + 4, radix: 16)
        return Array((String(repeating: "0", count: 4 - digits.count) + digits + text).utf8)
    }
}
