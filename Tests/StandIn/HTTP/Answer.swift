/// An HTTP response before it is serialised.
package struct Answer: Sendable {
    /// How the client finds the end of the body.
    package enum Framing: Sendable {
        /// `Content-Length`; the connection stays open.
        case contentLength
        /// The end of the connection.
        case untilClose
    }

    package var status: Int
    package var headers: [Header]
    package var body: [UInt8]
    package var framing: Framing

    package init(status: Int, headers: [Header] = [], body: [UInt8] = [], framing: Framing = .contentLength) {
        self.status = status
        self.headers = headers
        self.body = body
        self.framing = framing
    }

    package static func text(
        _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8", headers: [Header] = [],
        framing: Framing = .contentLength
    ) -> Answer {
        Answer(
            status: status, headers: [Header("Content-Type", type)] + headers, body: Array(text.utf8), framing: framing)
    }

    /// A proxy's refusal of a client without credentials.
    package static let proxyRefusal = text(
        "", status: 407, headers: [Header("Proxy-Authenticate", "Basic realm=\"proxy\"")])

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
        switch framing {
        case .contentLength where status == 204: break  // RFC 9110, 8.6: a 204 has no length
        case .contentLength: lines.append("Content-Length: \(body.count)")
        case .untilClose: lines.append("Connection: close")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The reason phrases used here; other statuses go without one, which RFC 9112 allows.
    private static let reasons = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 422: "Unprocessable Entity",
        429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
    ]
}
