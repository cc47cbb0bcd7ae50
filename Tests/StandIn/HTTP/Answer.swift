/// An HTTP answer, before it is turned into bytes.
package struct Answer: Sendable {
    /// How the client learns where the body ends.
    package enum Framing: Sendable {
        /// By `Content-Length`; the connection stays open.
        case contentLength
        /// By the end of the connection.
        case untilClose
    }

    package var status: Int
    package var headers: [Header]
    package var body: [UInt8]
    package var framing: Framing

    /// Makes an answer from all its parts.
    package init(status: Int, headers: [Header] = [], body: [UInt8] = [], framing: Framing = .contentLength) {
        self.status = status
        self.headers = headers
        self.body = body
        self.framing = framing
    }

    /// An answer whose body is text of the given type.
    package static func text(
        _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8", headers: [Header] = [],
        framing: Framing = .contentLength
    ) -> Answer {
        Answer(
            status: status, headers: [Header("Content-Type", type)] + headers, body: Array(text.utf8), framing: framing)
    }

    /// A proxy's, to who does not say who asks.
    package static let proxyRefusal = text(
        "", status: 407, headers: [Header("Proxy-Authenticate", "Basic realm=\"proxy\"")])

    /// An answer whose body is JSON.
    package static func json(_ fields: Fields, status: Int = 200, headers: [Header] = []) -> Answer {
        text(fields.json, status: status, type: "application/json; charset=utf-8", headers: headers)
    }

    /// An answer whose body is a web page, as proxies and broken servers send.
    package static func html(_ body: String, status: Int = 200, headers: [Header] = []) -> Answer {
        let page = "<!DOCTYPE html>\n<html><body>\(body)</body></html>\n"
        return text(page, status: status, type: "text/html; charset=utf-8", headers: headers)
    }

    /// All that is sent.
    var bytes: [UInt8] { headBytes + body }

    /// Status line, headers and the blank line after them.
    var headBytes: [UInt8] {
        var lines = ["HTTP/1.1 \(status) \(Self.reason(status))"]
        lines += headers.map { "\($0.name): \($0.value)" }
        switch framing {
        case .contentLength where status == 204: break  // RFC 9110 8.6: no length with 204
        case .contentLength: lines.append("Content-Length: \(body.count)")
        case .untilClose: lines.append("Connection: close")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The reason phrases that occur here; any other status has a number only, which RFC 9112 allows.
    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 422: "Unprocessable Entity"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: ""
        }
    }
}
