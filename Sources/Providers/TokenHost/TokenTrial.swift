package import CredentialCore

/// The result of trying a token by git's own protocol, if a host has no API for it: the first request of a fetch
/// (gitprotocol-http(5)).
package enum TokenTrial: Equatable {
    case accepted
    /// The repository is public, so the answer proves nothing.
    case isPublic
    /// Token or username are invalid, or not for this repository: the service does not distinguish these.
    case rejected
    /// The repository does not exist, or the token does not reach it.
    case notFound
    /// The host cannot answer now.
    case unknown
    /// The person pressed Ctrl-C.
    case interrupted
}

extension TokenHost {
    /// Tries a token at a repository such as `workspace/name`; returns `nil` if the host names a token's owner itself,
    /// or is unknown.
    package func trial(
        of token: Secret, as username: String, at repository: String, over transport: any Transport
    ) -> TokenTrial? {
        guard case .bitbucket(let origin) = self else { return nil }
        let status = { (authorization: HTTPRequest.Authorization) throws(TransportError) -> Int? in
            do throws(TransportError) {
                return try GitProbe.fetch.answer(
                    at: repository + ".git", on: origin, as: authorization, over: transport
                ).status
            } catch {
                guard error != .interrupted else { throw error }
                return nil
            }
        }
        do {
            switch try status(.basic(username: username, password: token)) {
            case 200: return try status(.none) == 200 ? .isPublic : .accepted
            case 401: return .rejected
            case 403, 404: return .notFound
            default: return .unknown
            }
        } catch {
            return .interrupted
        }
    }
}
