internal import CredentialCore
package import Providers
internal import Testing

/// Answers requests in the order of a script; a request that the script does not know fails the test.
package final class ScriptedTransport: Transport {
    /// What was asked, in order.
    package private(set) var requests: [SentRequest] = []
    private var script: [Result<HTTPResponse, TransportError>]
    /// Lets time go by, or a sibling do its work, before a request is answered.
    package var beforeAnswer: (SentRequest) -> Void = { _ in }
    /// What answers a request that is not in the script; nil fails the test.
    package var otherwise: HTTPResponse?
    /// What answers requests that are beside the test's point; they are neither noted nor in the script.
    package var aside: (SentRequest) -> HTTPResponse? = { _ in nil }
    private let journal: Journal

    /// A transport that answers one request for each answer.
    package init(_ answers: HTTPResponse..., journal: Journal = Journal()) {
        script = answers.map(Result.success)
        self.journal = journal
    }

    /// Adds an answer to the end of the script.
    package func answer(_ response: HTTPResponse) { script.append(.success(response)) }

    /// Adds a fault on the way to the end of the script.
    package func fail(_ error: TransportError) { script.append(.failure(error)) }

    /// Whether every answer has been asked for.
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
