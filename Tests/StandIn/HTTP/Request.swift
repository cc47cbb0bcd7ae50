import FoundationEssentials

/// A request as received.
package struct Request: Sendable {
    package let method: String
    /// The path and query exactly as sent.
    package let target: String
    package let headers: [Header]
    /// The body without transfer coding; content coding is kept.
    package let body: [UInt8]
    /// The host header as sent, including a port.
    package var host: String { headers["host"] ?? "" }
    /// The path of the target, still percent-encoded.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// The query as sent; empty if there is none.
    package var queryText: String { String(target.drop { $0 != "?" }.dropFirst()) }
    package var query: [String: String] { FormCoding.decode(queryText) }
    package var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The fields of a form; empty for other content types.
    package var form: [String: String] {
        guard headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true else { return [:] }
        return FormCoding.decode(bodyText)
    }

    /// The value of an `Authorization` header with one of these schemes.
    private func authorization(_ schemes: String...) -> String? {
        guard let parts = headers["authorization"]?.split(separator: " ", maxSplits: 1), parts.count == 2,
            schemes.contains(parts[0].lowercased())
        else { return nil }
        return String(parts[1])
    }

    /// The credentials of a well-formed `Authorization: Basic` header (RFC 7617).
    package var basicCredentials: (user: String, password: String)? {
        guard let data = authorization("basic").flatMap({ Data(base64Encoded: $0) }) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }

    /// The token of `Authorization: Bearer`, or of GitHub's older scheme `token`.
    package var bearerToken: String? { authorization("bearer", "token") }

    /// The path below the service's API, `nil` for other paths; on `api.` hosts of GitHub, it is the whole path.
    func apiPath(of service: Service) -> String? {
        if service == .gitHub, host.hasPrefix("api.") { return path }
        return path.hasPrefix(service.apiPrefix + "/") ? String(path.dropFirst(service.apiPrefix.count)) : nil
    }

    /// The parts of the path below the service's API.
    func apiParts(of service: Service) -> [Substring] { (apiPath(of: service) ?? "").split(separator: "/") }
    private static let headerLimit = 200
    private static let bodyLimit = 1 << 28

    /// Reads the next request; `nil` if the client has closed the connection.
    ///
    /// Throws if the bytes are not HTTP, or the connection ends within the request.
    init?(from connection: inout Connection) throws(StandInError) {
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

/// `application/x-www-form-urlencoded`: the bodies of OAuth requests, and GitHub's responses to clients that do not
/// accept JSON.
enum FormCoding {
    /// Parses a form or a query.
    ///
    /// The last value of a repeated name wins; the recorded body keeps all of them.
    static func decode(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[unescape(parts[0])] = parts.count > 1 ? unescape(parts[1]) : ""
        }
        return fields
    }

    /// Decodes percent-encoding, and `+` as a space; a percent sign without an escape stays.
    static func unescape(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let escaped = UInt8(digits, radix: 16) {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Percent-encodes everything but RFC 3986's unreserved characters.
    static func escape(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
