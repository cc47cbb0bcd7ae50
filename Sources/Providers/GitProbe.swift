package import CredentialCore

/// git's own first request before a fetch or a push (gitprotocol-http(5)).
enum GitProbe: String {
    case fetch = "git-upload-pack"
    case push = "git-receive-pack"

    /// Asks for a repository, which need not exist: most services request a credential in any case.
    func response(
        at path: String, on origin: HTTPSAddress, as authorization: HTTPRequest.Authorization = .none,
        over transport: any Transport
    ) throws(TransportError) -> HTTPResponse {
        let address = origin.appending("/\(path)/info/refs?service=\(rawValue)")
        do throws(TransportError) {
            return try transport.send(
                HTTPRequest(.get, address, authorization: authorization, fields: [("Accept", "*/*")]))
        } catch .tooLarge {
            // A refusal is one line, so a longer answer is a list of branches.
            return HTTPResponse(status: 200)
        }
    }

    func answer(
        at path: String, on origin: HTTPSAddress, as authorization: HTTPRequest.Authorization,
        over transport: any Transport, refusal: (HTTPResponse) -> RepositoryAnswer = RepositoryAnswer.init
    ) throws(TransportError) -> RepositoryAnswer {
        let response = try response(at: path, on: origin, as: authorization, over: transport)
        return switch response.status {
        case 200: .reached(RepositoryRights(mayPush: self == .push))
        case 403: refusal(response)
        default: RepositoryAnswer(response)
        }
    }
}

extension StoredCredential {
    package var isBearer: Bool { authtype.map { ASCII.equalsIgnoringCase($0, "Bearer") } ?? false }

    /// The authorization that git itself would send.
    var authorization: HTTPRequest.Authorization {
        isBearer ? .bearer(password) : .basic(username: String(decoding: username, as: UTF8.self), password: password)
    }
}
