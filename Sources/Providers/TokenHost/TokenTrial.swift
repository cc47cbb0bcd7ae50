package import CredentialCore

/// What git's own protocol says of a token, where a host has no API for that: the first request of a fetch
/// (gitprotocol-http(5)).
package enum TokenTrial: Equatable {
    case accepted
    /// Everybody may read the repository, so the answer proves nothing.
    case isPublic
    /// Token or username are not good, or not for this repository: the service does not tell them apart.
    case rejected
    /// There is no such repository, or the token does not reach it.
    case notFound
    /// Nobody can tell just now.
    case unknown
    /// Ctrl-C.
    case interrupted
}

extension TokenHost {
    /// At a repository such as `workspace/name`; nil if the host itself tells whose a token is, or is none that we know.
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
