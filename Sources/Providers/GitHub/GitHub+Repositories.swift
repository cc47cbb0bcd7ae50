package import CredentialCore

extension GitHub {
    package func repositoryName(_ segments: [String]) -> String? {
        // In a browser, the parts after OWNER/NAME are a page of the repository.
        segments.count < 2 ? nil : "\(segments[0])/\(Self.withoutWiki(segments[1]))"
    }

    /// The repository that a wiki belongs to; only git treats a wiki as a repository.
    static func withoutWiki(_ name: String) -> String {
        name.hasSuffix(".wiki") && name.utf8.count > 5 ? String(name.dropLast(5)) : name
    }

    package func repository(
        _ name: String, as credential: StoredCredential?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        answer(try transport.send(request("/repos/\(name)", token: credential?.password)))
    }

    func answer(_ response: HTTPResponse) -> RepositoryAnswer {
        switch response.status {
        case 200: rights(response).map { .reached($0) } ?? .malformed
        case 403, 429: refusal(response)
        case 404: absence(response)
        default: RepositoryAnswer(response)
        }
    }

    private func rights(_ response: HTTPResponse) -> RepositoryRights? {
        guard let body = response.json, let isPrivate = body["private"]?.bool else { return nil }
        let scopes = Self.scopes(response)
        let permissions = body["permissions"]
        let reaching = isPrivate ? ["repo"] : ["repo", "public_repo"]
        return RepositoryRights(
            mayPush: permissions?["push"]?.bool ?? false,
            // The permissions are the person's; the scopes limit them.
            missingScope: scopes?.allSatisfy { !reaching.contains($0) } == true ? "repo" : nil,
            workflows: scopes.map { $0.contains("workflow") ? .granted : .missing } ?? .unknown,
            isArchived: body["archived"]?.bool ?? false || body["disabled"]?.bool ?? false)
    }

    private func refusal(_ response: HTTPResponse) -> RepositoryAnswer {
        if let required = singleSignOn(response) { return required }
        let message = Self.message(response)
        if Self.isRateLimit(response, message) { return .rateLimited(RateLimit(response)) }
        if message.contains("oauth app access restrictions") { return .appRestricted }
        if message.contains("saml enforcement") { return .singleSignOnRequired(page: nil) }
        if message.contains("ip allow list") { return .addressNotAllowed }
        if message.contains("not accessible by integration") { return .appNotInstalled }
        if response.json?["block"] != nil || message.contains("access blocked") { return .blocked }
        return .refused(status: response.status)
    }

    static func message(_ response: HTTPResponse) -> String {
        let message = response.json?["message"]?.string ?? []
        return String(decoding: message, as: UTF8.self).lowercased()
    }

    /// Whether a refusal is a rate limit, which has two statuses ("Rate limits for the REST API").
    static func isRateLimit(_ response: HTTPResponse, _ message: String) -> Bool {
        response.status == 429 || response.header("x-ratelimit-remaining") == [UInt8(ascii: "0")]
            || message.contains("rate limit")
    }

    /// Interprets 404, which hides whether a repository exists, by the scopes.
    private func absence(_ response: HTTPResponse) -> RepositoryAnswer {
        if let required = singleSignOn(response) { return required }
        guard let scopes = Self.scopes(response) else { return .notFoundByApp }
        return scopes.contains("repo") ? .notFound : .scopeMissing("repo")
    }

    /// Reads `X-GitHub-SSO: required; url=https://github.com/orgs/ORG/sso?authorization_request=…`.
    private func singleSignOn(_ response: HTTPResponse) -> RepositoryAnswer? {
        guard let header = response.header("x-github-sso") else { return nil }
        let parts = String(decoding: header, as: UTF8.self).split(separator: ";").map { $0.drop { $0 == " " } }
        guard parts.first == "required" else { return nil }
        let url = parts.first { $0.hasPrefix("url=") }.map { String($0.dropFirst(4)) } ?? ""
        let forms = ["/orgs/*/sso", "/enterprises/*/sso"]
        return .singleSignOnRequired(page: .page(url, on: host.origin, like: forms, query: "authorization_request"))
    }

    /// The granted scopes, or `nil` if none are named, as for a GitHub App's token.
    private static func scopes(_ response: HTTPResponse) -> [String]? {
        response.header("x-oauth-scopes").map { header in
            String(decoding: header, as: UTF8.self).split { $0 == "," || $0 == " " }.map(String.init)
        }
    }
}

extension GitHub {
    static func isInstallationToken(_ token: Secret) -> Bool { token.reveal { $0.starts(with: "ghs_".utf8) } }

    /// "Revoke an installation access token": each token revokes itself.
    func revokeInstallations(_ tokens: [Secret], over transport: any Transport) -> RevocationOutcome {
        for token in tokens {
            var request = request("/installation/token", token: token)
            request.method = .delete
            do {
                let status = try transport.send(request).status
                // A rejected token is revoked already.
                guard status == 204 || status == 401 else { return .refused(status: status) }
            } catch {
                return .failed(error)
            }
        }
        return .accepted
    }
}
