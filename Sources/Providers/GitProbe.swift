internal import CredentialCore

/// git's own first request before a fetch or a push (gitprotocol-http(5)).
enum GitProbe: String {
    case fetch = "git-upload-pack"
    case push = "git-receive-pack"

    /// The path is that of a repository, which need not be there: most services ask for a credential in any case.
    func answer(
        at path: String, on origin: HTTPSAddress, as authorization: HTTPRequest.Authorization = .none,
        over transport: any Transport
    ) throws(TransportError) -> HTTPResponse {
        let address = origin.appending("/\(path)/info/refs?service=\(rawValue)")
        do throws(TransportError) {
            return try transport.send(HTTPRequest(.get, address, authorization: authorization, accept: "*/*"))
        } catch .tooLarge {
            // A refusal is a line; what is beyond our limit is the list of many branches.
            return HTTPResponse(status: 200)
        }
    }
}
