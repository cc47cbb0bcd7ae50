package import CredentialCore

/// "Get a repository", and what GitHub says instead.
extension GitHub {
    package func repositoryName(_ segments: [String]) -> String? {
        // What follows OWNER/NAME in a browser is a page of the repository.
        segments.count < 2 ? nil : "\(segments[0])/\(Self.withoutWiki(segments[1]))"
    }

    /// A wiki is a repository for git alone, and has the rights of the one that it belongs to.
    static func withoutWiki(_ name: String) -> String {
        name.hasSuffix(".wiki") && name.utf8.count > 5 ? String(name.dropLast(5)) : name
    }

    package func repository(
        _ name: String, on host: SignInHost, token: Secret?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        answer(try transport.send(request(api("/repos/\(name)", of: host), token: token)), on: host)
    }

    func answer(_ response: HTTPResponse, on host: SignInHost) -> RepositoryAnswer {
        switch response.status {
        case 200: return rights(response).map { .reached($0) } ?? .malformed
        // "Best practices for using the REST API", Follow redirects: we do not, since the token would go along.
        case 301, 302, 307, 308: return .moved
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
            mayPush: permissions?["push"]?.bool ?? false,
            // The permissions are the person's, whatever was granted to the token.
            missingScope: scopes?.allSatisfy { !reaching.contains($0) } == true ? "repo" : nil,
            workflows: scopes.map { $0.contains("workflow") ? .granted : .missing } ?? .unknown,
            isArchived: body["archived"]?.bool ?? false || body["disabled"]?.bool ?? false)
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
        return scopes.contains("repo") ? .notFound : .scopeMissing("repo")
    }

    /// Reads `X-GitHub-SSO: required; url=https://github.com/orgs/ORG/sso?authorization_request=…`.
    private func singleSignOn(_ response: HTTPResponse, on host: SignInHost) -> RepositoryAnswer? {
        guard let header = response.header("x-github-sso") else { return nil }
        let parts = String(decoding: header, as: UTF8.self).split(separator: ";").map { $0.drop { $0 == " " } }
        guard parts.first == "required" else { return nil }
        let url = parts.first { $0.hasPrefix("url=") }?.dropFirst(4)
        return .singleSignOnRequired(page: url.flatMap { Self.singleSignOnPage(String($0), on: host) })
    }

    /// The page is put together from the two words that it takes from the server, and is nil for any other page: one on
    /// the same host may do something in the person's name, and there are many ways to write `..`.
    private static func singleSignOnPage(_ url: String, on host: SignInHost) -> HTTPSAddress? {
        guard let address = HTTPSAddress(parsing: url), address.isSameOrigin(as: host.origin) else { return nil }
        let parts = address.path.split(separator: "?", omittingEmptySubsequences: false)
        let folders = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, folders.count == 4, folders[0].isEmpty, ["orgs", "enterprises"].contains(folders[1]),
            isWord(folders[2]), folders[3] == "sso"
        else { return nil }
        let page = host.origin.appending("/\(folders[1])/\(folders[2])/sso")
        guard parts.count == 2 else { return page }
        let field = parts[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        // base64url, whose padding may follow.
        guard field.count == 2, field[0] == "authorization_request" else { return nil }
        let request = field[1].prefix { $0 != "=" }
        guard isWord(request), field[1].dropFirst(request.count).allSatisfy({ $0 == "=" }) else { return nil }
        return page.appending("?authorization_request=\(field[1])")
    }

    /// Letters, digits, `-` and `_`: nothing that separates, escapes or leads elsewhere.
    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == 0x2d || $0 == 0x5f }
    }

    /// What was granted; nil where no scopes are told, as with the tokens of GitHub Apps.
    private static func scopes(_ response: HTTPResponse) -> [String]? {
        response.header("x-oauth-scopes").map { header in
            String(decoding: header, as: UTF8.self).split { $0 == "," || $0 == " " }.map(String.init)
        }
    }

    private static func number(_ header: [UInt8]?) -> Int64? { header.flatMap { DecimalNumber.parse($0) } }
}

/// The tokens of an app's installations, which GitHub tells from others by how they begin.
extension GitHub {
    static func isInstallations(_ token: Secret) -> Bool { token.reveal { $0.starts(with: "ghs_".utf8) } }

    /// "List repositories accessible to the app installation": of them, one is enough.
    func installationAccount(
        of token: Secret, on host: SignInHost, over transport: any Transport
    ) -> AccountAnswer {
        let address = api("/installation/repositories?per_page=1", of: host)
        do {
            switch try transport.send(request(address, token: token)).status {
            case 200: return .accepted(names: [anyUsername])
            case 401: return .rejected
            default: return .unknown
            }
        } catch {
            return AccountAnswer(error)
        }
    }

    /// "Revoke an installation access token", which a token can ask for itself alone.
    func revokeInstallations(
        _ tokens: [Secret], on host: SignInHost, over transport: any Transport
    ) -> RevocationOutcome {
        for token in tokens {
            var request = request(api("/installation/token", of: host), token: token)
            request.method = .delete
            do {
                let status = try transport.send(request).status
                // One that is rejected is revoked already.
                guard status == 204 || status == 401 else { return .refused(status: status) }
            } catch {
                return .failed(error)
            }
        }
        return .accepted
    }
}
