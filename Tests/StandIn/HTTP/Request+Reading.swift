/// Parses HTTP/1.1 from bytes as a server does (RFC 9112), with limits for all sizes.
extension Request {
    private static let headerLimit = 200
    private static let bodyLimit = 1 << 28

    /// Reads the next request; `nil` if the client has closed the connection.
    /// - Parameters:
    ///   - connection: The client's connection.
    ///   - tunnel: `HOST:PORT` of the client's CONNECT request; `nil` without the proxy.
    ///   - clock: Seconds since 1970.
    /// - Throws: `StandInError` if the bytes are not HTTP, or the connection ends within the request.
    init?(from connection: inout Connection, tunnel: String?, clock: () -> Double) throws(StandInError) {
        guard let line = try connection.readLine() else { return nil }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { throw StandInError("this is not HTTP") }
        method = words[0]
        target = words[1]
        headers = try Self.headers(from: &connection)
        if headers["expect"]?.lowercased() == "100-continue" {
            try connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        body = try Self.body(after: headers, from: &connection)
        time = clock()
        self.tunnel = tunnel
    }

    /// Reads header lines up to the blank line.
    private static func headers(from connection: inout Connection) throws(StandInError) -> [Header] {
        var headers: [Header] = []
        while let line = try connection.readLine() {
            if line.isEmpty { return headers }
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            // Refuse a space before the colon, and a folded line (RFC 9112, 5.1 and 5.2).
            guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ (33...126).contains($0) }),
                headers.count < headerLimit
            else { throw StandInError("a header is wrong, or there are too many") }
            let value = parts[1].drop(while: isBlank).reversed().drop(while: isBlank).reversed()
            headers.append(Header(String(decoding: parts[0], as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        throw StandInError("the client has gone")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Reads the body; its end comes from exactly one of two headers (RFC 9112, 6.3).
    private static func body(
        after headers: [Header], from connection: inout Connection
    ) throws(StandInError) -> [UInt8] {
        switch (headers["transfer-encoding"]?.lowercased(), headers["content-length"]) {
        case (nil, nil): return []
        case (nil, let length?): return Array(try connection.read(size(length, radix: 10)))
        case ("chunked", nil): break
        default: throw StandInError("the body's end is not clear")
        }
        var body: [UInt8] = []
        while let line = try connection.readLine() {
            let digits = line.prefix { $0 != UInt8(ascii: ";") && !isBlank($0) }
            let size = try size(String(decoding: digits, as: UTF8.self), radix: 16)
            if size == 0 {
                _ = try self.headers(from: &connection)
                return body
            }
            guard body.count + size <= bodyLimit else { throw StandInError("the body is too large") }
            body += try connection.read(size)
            guard try connection.readLine()?.isEmpty == true else { throw StandInError("a chunk is wrong") }
        }
        throw StandInError("the client has gone")
    }

    /// Parses digits only; `Int` would accept a sign.
    private static func size(_ text: String, radix: Int) throws(StandInError) -> Int {
        guard text.first?.isHexDigit == true, let size = Int(text, radix: radix), size <= bodyLimit else {
            throw StandInError("a body's size is wrong or too large")
        }
        return size
    }
}
