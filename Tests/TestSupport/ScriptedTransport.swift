internal import CredentialCore
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

    /// Creates a transport that answers one request for each answer.
    package init(_ answers: HTTPResponse..., journal: Journal = Journal()) {
        script = answers.map(Result.success)
        self.journal = journal
    }

    /// Adds an answer to the end of the script.
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
