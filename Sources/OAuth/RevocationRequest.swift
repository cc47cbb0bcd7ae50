package import CredentialCore

/// Telling a server that a token is not needed any more: RFC 7009.
package enum RevocationRequest {
    /// What became of it.
    package enum Outcome: Equatable {
        /// The token is good for nothing now, or was so before (RFC 7009, 2.2).
        case accepted
        /// The server did not do it; its status.
        case refused(status: Int)
        /// A fault on the way.
        case failed(TransportError)
    }

    /// Sends a token to the endpoint of the server that issued it: RFC 7009, 2.1.
    ///
    /// - Parameters:
    ///   - token: an access token or a refresh token; which of the two, the server finds out.
    ///   - client: the one that it was issued to.
    ///   - endpoint: the server's.
    ///   - transport: the way.
    /// - Returns: what became of it.
    package static func send(
        _ token: Secret, client: OAuthClient, to endpoint: HTTPSAddress, over transport: any Transport
    ) -> Outcome {
        var form = FormBuilder()
        form.add("client_id", client.id.utf8)
        form.add("token", token)
        do {
            let response = try transport.send(client.request(to: endpoint, form))
            return response.status == 200 && isAnswer(response) ? .accepted : .refused(status: response.status)
        } catch {
            return .failed(error)
        }
    }

    /// Whether nothing speaks against it: the body means nothing (RFC 7009, 2.2), but a page is a proxy's, and no answer.
    private static func isAnswer(_ response: HTTPResponse) -> Bool {
        response.body.isEmpty || AnswerFields(response)?.has("error") == false
    }
}
