/// An HTTP response before it is serialised.
package struct Answer: Sendable {
    package var status: Int
    package var headers: [Header]
    package var body: [UInt8]
    /// Whether `Content-Length` tells the end of the body; without it, the end of the connection does.
    var hasLength: Bool

    package init(status: Int, headers: [Header] = [], body: [UInt8] = [], hasLength: Bool = true) {
        self.status = status
        self.headers = headers
        self.body = body
        self.hasLength = hasLength
    }

    package static func text(
        _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8", headers: [Header] = [],
        hasLength: Bool = true
    ) -> Answer {
        let headers = [Header("Content-Type", type)] + headers
        return Answer(status: status, headers: headers, body: Array(text.utf8), hasLength: hasLength)
    }

    /// A proxy's refusal of a client without credentials.
    static let proxyRefusal = text("", status: 407, headers: [Header("Proxy-Authenticate", "Basic realm=\"proxy\"")])

    package static func json(_ fields: Fields, status: Int = 200, headers: [Header] = []) -> Answer {
        text(fields.json, status: status, type: "application/json; charset=utf-8", headers: headers)
    }

    /// A response with a web page, as proxies and broken servers send.
    package static func html(_ body: String, status: Int = 200, headers: [Header] = []) -> Answer {
        let page = "<!DOCTYPE html>\n<html><body>\(body)</body></html>\n"
        return text(page, status: status, type: "text/html; charset=utf-8", headers: headers)
    }

    var bytes: [UInt8] { headBytes + body }

    /// The status line, the headers and the blank line after them.
    var headBytes: [UInt8] {
        var lines = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "")"]
        lines += headers.map { "\($0.name): \($0.value)" }
        if !hasLength { lines.append("Connection: close") }
        // RFC 9110, 8.6: a 204 has no length.
        if hasLength, status != 204 { lines.append("Content-Length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The reason phrases used here; other statuses go without one, which RFC 9112 allows.
    private static let reasons = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 422: "Unprocessable Entity",
        429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
    ]

    /// Parses the output of git's CGI program (RFC 3875, 6): headers, including `Status`, a blank line, the body.
    init?(cgiOutput output: [UInt8]) {
        guard let end = output.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        self.init(status: 200, body: Array(output[end.upperBound...]))
        for line in String(decoding: output[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let value = String(parts[1].drop { $0 == " " })
            if parts[0].lowercased() == "status" {
                status = Int(value.prefix { $0 != " " }) ?? 500
            } else {
                headers.append(Header(String(parts[0]), value))
            }
        }
    }
}

/// One header line of a request or a response; an array of them keeps order and repetition.
package struct Header: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [Header] {
    /// The first value of a header; names ignore case.
    package subscript(name: String) -> String? { first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// The fields of a response in order, as JSON or as a form.
package struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    package enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        case text(String)
        /// A number; written without a fraction if it is whole.
        case number(Double)
        case flag(Bool)
        /// `null`, which GitLab sends for some fields that GitHub omits.
        case null
        case object(Fields)
        case list([Value])

        package init(stringLiteral value: String) { self = .text(value) }
    }

    private var members: [(name: String, value: Value)]

    package init(dictionaryLiteral elements: (String, Value)...) {
        members = elements.map { (name: $0.0, value: $0.1) }
    }

    mutating func append(_ name: String, _ value: Value) { members.append((name: name, value: value)) }

    package var json: String {
        "{" + members.map { "\(Self.quoted($0.name)):\(Self.json($0.value))" }.joined(separator: ",") + "}"
    }

    /// The fields as a form, without objects, which GitHub never sends in forms.
    package var form: String {
        members.compactMap { member in
            switch member.value {
            case .text(let text): "\(member.name)=\(FormCoding.escape(text))"
            case .number, .flag: "\(member.name)=\(Self.json(member.value))"
            case .object, .list, .null: nil
            }
        }.joined(separator: "&")
    }

    static func json(_ value: Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        case .flag(let flag): "\(flag)"
        case .object(let fields): fields.json
        case .list(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .null: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\u{0}"..<" ":
                "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2) + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
