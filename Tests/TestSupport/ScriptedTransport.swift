package import CredentialCore
package import Providers
internal import Testing

/// A transport that answers requests in the order of a script; a request that is not in the script fails the test.
package final class ScriptedTransport: Transport {
    package private(set) var requests: [SentRequest] = []
    private var script: [Result<HTTPResponse, TransportError>]
    /// The action of time or of another process before a request is answered.
    package var beforeAnswer: (SentRequest) -> Void = { _ in }
    /// The answer to a request that is not in the script, or `nil` to fail the test.
    package var otherwise: HTTPResponse?
    /// The answer to a request that does not matter to the test; such a request is neither recorded nor in the script.
    package var aside: (SentRequest) -> HTTPResponse? = { _ in nil }
    private let journal: Journal

    package init(_ answers: HTTPResponse..., journal: Journal = Journal()) {
        script = answers.map(Result.success)
        self.journal = journal
    }

    package func answer(_ response: HTTPResponse) { script.append(.success(response)) }
    package func answer(_ first: HTTPResponse, _ others: HTTPResponse...) { ([first] + others).forEach(answer) }
    package func answer(_ result: Result<HTTPResponse, TransportError>) { script.append(result) }
    package func fail(_ error: TransportError) { script.append(.failure(error)) }
    package var isExhausted: Bool { script.isEmpty }

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let sent = SentRequest(request)
        if let answer = aside(sent) { return answer }
        requests.append(sent)
        journal.note("\(sent.method) \(sent.address)")
        beforeAnswer(sent)
        guard !script.isEmpty else {
            if let otherwise { return otherwise }
            Issue.record("a request that nobody expected: \(sent.method) \(sent.address)")
            throw .unreachable
        }
        let response = try script.removeFirst().get()
        guard response.body.count <= request.largestBody else { throw .tooLarge }
        return response
    }
}

/// A request as a server would see it.
package struct SentRequest {
    package let method: String
    package let address: String
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

extension Request {
    /// Creates a request from lines as git writes them, and adds the last line end.
    package init(_ lines: String) throws(RequestError) { try self.init(parsing: Secret((lines + "\n").utf8)) }
}
