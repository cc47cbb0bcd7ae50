package import CredentialCore
package import OAuth

/// "Get a repository", and what GitHub says instead.
extension GitHub {
    package func repositoryName(_ segments: [String]) -> String? {
        // What follows OWNER/NAME in a browser is a page of the repository.
        segments.count < 2 ? nil : segments[..<2].joined(separator: "/")
    }

    package func repository(
        _ name: String, on host: SignInHost, token: Secret?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        var response = try transport.send(request(api("/repos/\(name)", of: host), token: token))
        if Self.movedStatuses.contains(response.status), let address = newAddress(response, on: host) {
            response = try transport.send(request(address, token: token))
        }
        return answer(response, on: host)
    }

    private static let movedStatuses: Set = [301, 302, 307, 308]

    private func answer(_ response: HTTPResponse, on host: SignInHost) -> RepositoryAnswer {
        switch response.status {
        case 200: return rights(response).map { .reached($0) } ?? .malformed
        case 401: return .tokenRejected
        case 403, 429: return refusal(response, on: host)
        case 404: return absence(response, on: host)
        case 451: return .blocked
        case 500...: return .unavailable(status: response.status)
        default: return .malformed
        }
    }

    private func rights(_ response: HTTPResponse) -> RepositoryRights? {
        guard let body = JSONValue(parsing: response.body), case .object = body, let isPrivate = body["private"]?.bool
        else { return nil }
        let scopes = Self.scopes(response)
        let permissions = body["permissions"]
        let reaching = isPrivate ? ["repo"] : ["repo", "public_repo"]
        return RepositoryRights(
            name: body["full_name"]?.string.flatMap(Self.plainName), mayPush: permissions?["push"]?.bool ?? false,
            // The permissions are the person's, whatever was granted to the token.
            scopesAllowPush: scopes.map { !$0.allSatisfy { !reaching.contains($0) } } ?? true,
            mayChangeWorkflows: scopes?.contains("workflow"),
            isArchived: body["archived"]?.bool ?? false || body["disabled"]?.bool ?? false)
    }

    /// A renamed or transferred repository answers with its number: `https://api.github.com/repositories/1296269`.
    private func newAddress(_ response: HTTPResponse, on host: SignInHost) -> HTTPSAddress? {
        let folder = api("/repositories/", of: host)
        let location = response.header("location") ?? JSONValue(parsing: response.body)?["url"]?.string ?? []
        guard let address = HTTPSAddress(parsing: String(decoding: location, as: UTF8.self)),
            address.isSameOrigin(as: folder), address.path.hasPrefix(folder.path)
        else { return nil }
        let number = address.path.dropFirst(folder.path.count)
        guard (1...20).contains(number.count), number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return api("/repositories/\(number)", of: host)
    }

    private func refusal(_ response: HTTPResponse, on host: SignInHost) -> RepositoryAnswer {
        if let required = singleSignOn(response, on: host) { return required }
        let body = JSONValue(parsing: response.body)
        let message = body?["message"]?.string.map { String(decoding: $0, as: UTF8.self).lowercased() } ?? ""
        let isLimit = response.header("x-ratelimit-remaining") == [UInt8(ascii: "0")]
        if response.status == 429 || isLimit || message.contains("rate limit") {
            return .rateLimited(until: Self.number(response.header("x-ratelimit-reset")))
        }
        if message.contains("oauth app access restrictions") { return .appRestricted }
        if message.contains("saml enforcement") { return .singleSignOnRequired(page: nil) }
        if message.contains("ip allow list") { return .addressNotAllowed }
        if message.contains("not accessible by integration") { return .appNotInstalled }
        if body?["block"] != nil || message.contains("access blocked") { return .blocked }
        return .refused(status: response.status)
    }

    /// What is absent is not told from what is hidden; the scopes narrow it down.
    private func absence(_ response: HTTPResponse, on host: SignInHost) -> RepositoryAnswer {
        if let required = singleSignOn(response, on: host) { return required }
        guard let scopes = Self.scopes(response) else { return .notFoundByApp }
        return scopes.contains("repo") ? .notFound : .scopeMissing
    }

    /// Reads `X-GitHub-SSO: required; url=https://github.com/orgs/ORG/sso?authorization_request=…`.
    ///
    /// The page is taken over only if it is on the very host, under an organisation or enterprise.
    private func singleSignOn(_ response: HTTPResponse, on host: SignInHost) -> RepositoryAnswer? {
        guard let header = response.header("x-github-sso") else { return nil }
        let parts = String(decoding: header, as: UTF8.self).split(separator: ";").map { $0.drop { $0 == " " } }
        guard parts.first == "required" else { return nil }
        let url = parts.first { $0.hasPrefix("url=") }?.dropFirst(4)
        guard let page = url.flatMap({ HTTPSAddress(parsing: String($0)) }), page.isSameOrigin(as: host.origin),
            page.path.hasPrefix("/orgs/") || page.path.hasPrefix("/enterprises/"), !page.path.contains(".."),
            page.path.utf8.allSatisfy(Self.isPlainInPage)
        else { return .singleSignOnRequired(page: nil) }
        return .singleSignOnRequired(page: HTTPSAddress(host: page.host, port: page.port, path: page.path))
    }

    /// Letters, digits and what separates the parts of such a page's address: nothing that a shell or terminal minds.
    private static func isPlainInPage(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || "/-_.?=%~".utf8.contains(byte)
    }

    /// What was granted; nil where no scopes are told, as with the tokens of GitHub Apps.
    private static func scopes(_ response: HTTPResponse) -> [String]? {
        response.header("x-oauth-scopes").map { header in
            String(decoding: header, as: UTF8.self).split { $0 == "," || $0 == " " }.map(String.init)
        }
    }

    private static func plainName(_ bytes: [UInt8]) -> String? {
        let address = RepositoryAddress("https://github.com/" + String(decoding: bytes, as: UTF8.self))
        return address.flatMap { $0.segments.count == 2 ? $0.segments.joined(separator: "/") : nil }
    }

    private static func number(_ header: [UInt8]?) -> Int64? { header.flatMap { DecimalNumber.parse($0) } }
}
