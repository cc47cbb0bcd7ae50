package import CredentialCore

/// What any git server tells: how it answers git's own first request (gitprotocol-http(5)), since it has no API that is
/// known here.
extension OpenIDProvider {
    package func repositoryName(_ segments: [String]) -> String? { segments.joined(separator: "/") }

    package func repository(
        _ name: String, on host: SignInHost, token: Secret?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        // Most servers take either name; some have but the one.
        for path in [name, name + ".git"] {
            switch try ask("git-upload-pack", path, on: host, token, over: transport) {
            case 200:
                let push = try ask("git-receive-pack", path, on: host, token, over: transport)
                return .reached(
                    RepositoryRights(
                        mayPush: push == 200, missingScope: nil, workflows: .notSeparate, isArchived: false))
            case 404: continue
            case 301, 302, 307, 308: return .moved
            case 401: return token == nil ? .notFound : .tokenRejected
            case 429: return .rateLimited(until: nil)
            case let status where status >= 500: return .unavailable(status: status)
            case let status: return .refused(status: status)
            }
        }
        return .notFound
    }

    /// The status of the answer; a list of branches that is beyond our limit is one.
    private func ask(
        _ service: String, _ path: String, on host: SignInHost, _ token: Secret?, over transport: any Transport
    ) throws(TransportError) -> Int {
        let request = HTTPRequest(
            .get, host.origin.appending("/\(path)/info/refs?service=\(service)"),
            authorization: token.map { .basic(username: anyUsername, password: $0) } ?? .none, accept: "*/*")
        do {
            return try transport.send(request).status
        } catch .tooLarge {
            return 200
        }
    }

    // MARK: What only a browser can do

    /// Each server has pages of its own, and none is known here.
    package func registration(of kind: AppKind, on host: SignInHost) -> Registration? { nil }

    package func page(_ page: ProviderPage, on host: SignInHost) -> HTTPSAddress? {
        if case .repository(let name) = page { host.origin.appending("/\(name)") } else { nil }
    }

    /// The git host; whether the issuer answers, its discovery tells.
    package func probes(of host: SignInHost) -> [HTTPSAddress] { [host.origin] }
}
