package import CredentialCore

/// git's own first request before a fetch or a push (gitprotocol-http(5)).
enum GitProbe: String {
    case fetch = "git-upload-pack"
    case push = "git-receive-pack"

    /// Asks for a repository's refs; it need not exist: most services ask for a credential in any case.
    func answer(
        at path: String, on origin: HTTPSAddress, as authorization: HTTPRequest.Authorization = .none,
        over transport: any Transport
    ) throws(TransportError) -> HTTPResponse {
        let address = origin.appending("/\(path)/info/refs?service=\(rawValue)")
        do throws(TransportError) {
            return try transport.send(HTTPRequest(.get, address, authorization: authorization, accept: "*/*"))
        } catch .tooLarge {
            // A refusal is a line; an answer beyond our limit is a list of many branches.
            return HTTPResponse(status: 200)
        }
    }
}

extension StoredCredential {
    /// Whether this credential may fetch a repository, or `nil` if the answer is unclear.
    package func reaches(
        _ path: String, on host: HostName, over transport: any Transport
    ) throws(TransportError) -> Bool? {
        guard let origin = HTTPSAddress(parsing: "https://" + String(decoding: host.text, as: UTF8.self)) else {
            return nil
        }
        let name = String(decoding: username, as: UTF8.self)
        let isBearer = authtype.map { ASCII.equalsIgnoringCase($0, "Bearer") } ?? false
        for path in [path, path + RepositoryPath.suffix] {
            let status = try GitProbe.fetch.answer(
                at: path, on: origin, as: isBearer ? .bearer(password) : .basic(username: name, password: password),
                over: transport
            ).status
            if status != 404 { return status == 200 ? true : nil }
        }
        return false
    }
}
