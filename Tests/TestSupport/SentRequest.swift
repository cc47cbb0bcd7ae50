internal import CredentialCore
package import Providers

/// A request as a server would see it.
package struct SentRequest {
    package let method: String
    package let address: String
    /// The body's text, which may be empty.
    package let body: String
    /// The decoded fields of a form in the order in which they were sent; empty for any other body.
    package let fields: [(name: String, value: String)]
    /// The value of the `Authorization` header, if one was sent.
    package let authorization: String?
    package let accept: String
    /// Whether Ctrl-C may end the request.
    package let isInterruptible: Bool
    /// The latest useful time for the answer, in milliseconds of uptime.
    package let deadline: Int64?

    /// Creates the request that `request` would be on the wire.
    package init(_ request: HTTPRequest) {
        method = request.method.rawValue
        address = request.address.text
        accept = request.fields.first { $0.name == "Accept" }?.value ?? ""
        isInterruptible = request.isInterruptible
        deadline = request.deadline
        switch request.body {
        case .none, .stream: (body, fields) = ("", [])
        case .form(let form): (body, fields) = (form.text, Self.decoded(form.text))
        case .json(let json): (body, fields) = (json.text, [])
        }
        switch request.authorization {
        case .none: authorization = nil
        case .bearer(let token): authorization = "Bearer \(token.text)"
        case .token(let token): authorization = "token \(token.text)"
        case .basic(let username, let password): authorization = "Basic \(username):\(password.text)"
        }
    }

    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Decodes a form without the code under test.
    private static func decoded(_ form: String) -> [(name: String, value: String)] {
        form.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (unescaped(parts[0]), parts.count > 1 ? unescaped(parts[1]) : "")
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        let pieces = text.split(separator: "%", omittingEmptySubsequences: false)
        var bytes = Array((pieces.first ?? "").utf8)
        for piece in pieces.dropFirst() {
            if let byte = UInt8(piece.prefix(2), radix: 16) { bytes.append(byte) }
            bytes += piece.dropFirst(2).utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
