/// An answer to the client, as HTTP/1.1 writes it.
package struct GatewayResponse {
    package enum Body: Equatable {
        case bytes([UInt8])
        /// It follows in pieces; nil if its length is not known, and then in chunks.
        case stream(length: Int64?)
    }

    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: Body

    init(status: Int, fields: [(name: String, value: String)], body: Body) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Git shows each line of a text as `remote: …`.
    package init(_ refusal: HTTPRefusal) {
        self.init(
            status: refusal.status, fields: [("Content-Type", "text/plain; charset=utf-8")],
            body: .bytes(Array("\(refusal.sentence)\n".utf8)))
    }

    /// The head, and the body if it is known; `closes` if no further request is read from this connection.
    package func encoded(closes: Bool = false) -> [UInt8] {
        var fields = fields
        switch body {
        case .bytes(let bytes): fields.append(("Content-Length", "\(bytes.count)"))
        case .stream(let length?): fields.append(("Content-Length", "\(length)"))
        case .stream(nil): fields.append(("Transfer-Encoding", "chunked"))
        }
        if closes { fields.append(("Connection", "close")) }
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        // The reason phrase may be empty, but not the blank before it (RFC 9112, 4).
        let head = Array("HTTP/1.1 \(status) \r\n\(lines)\r\n".utf8)
        guard case .bytes(let bytes) = body else { return head }
        return head + bytes
    }

    /// Before the bytes of a chunk, of which there is one at least; `chunkEnd` follows them.
    package static func chunkStart(_ count: Int) -> [UInt8] { Array("\(String(count, radix: 16))\r\n".utf8) }
    package static let chunkEnd = Array("\r\n".utf8)
    package static let lastChunk = Array("0\r\n\r\n".utf8)
}
