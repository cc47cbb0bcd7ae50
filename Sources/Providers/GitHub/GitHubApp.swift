internal import CredentialCore

/// A GitHub App that acts in its own name: for CI and servers.
package struct GitHubApp: InstallableApp, Equatable {
    /// Its app ID, or its client ID, which GitHub takes as well.
    package let id: String

    package let algorithm = "RS256"

    package init(id: String) { self.id = id }

    /// GitHub takes ten minutes at most, by its own clock: a minute is left for one that is behind ours.
    private static let lifetime: Int64 = 540
    /// And a minute for one that is ahead; GitHub itself recommends it.
    private static let earlier: Int64 = 60
    /// Seconds by which clocks may differ before an assertion is refused for its times.
    private static let tolerance: Int64 = 60
    /// A token is good for an hour; what lasts for more than a day is none.
    private static let longestLifetime: Int64 = 86_400

    /// What it says of itself to get an installation's token ("Generating a JSON Web Token for a GitHub App"); GitHub
    /// wants RS256.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: the claims of an assertion without a key ID: GitHub tries each key of the app.
    package func claims(now: Int64) -> AssertionClaims {
        AssertionClaims(issuer: id, issuedAt: now - Self.earlier, expiresAt: now + Self.lifetime)
    }

    package func place(of path: [UInt8]) -> InstallationPlace? {
        let parts = path.split(separator: UInt8(ascii: "/"))
        guard let owner = parts.first, owner.allSatisfy({ ASCII.isLetterOrDigit($0) || "-_".utf8.contains($0) }) else {
            return nil
        }
        return InstallationPlace(
            owner: String(decoding: owner, as: UTF8.self), repository: parts.count > 1 ? Self.name(parts[1]) : nil)
    }

    private static func name(_ part: ArraySlice<UInt8>) -> String? {
        guard part.allSatisfy({ ASCII.isLetterOrDigit($0) || "-_.".utf8.contains($0) }) else { return nil }
        let text = String(decoding: part, as: UTF8.self)
        return GitHub.withoutWiki(text.hasSuffix(".git") ? String(text.dropLast(4)) : text)
    }

    /// "Get a user installation for the authenticated app", which finds an organisation's as well: GitHub's own action
    /// `create-github-app-token` relies on it.
    ///
    /// It needs no more than the owner. The question about a repository's installation is answered with 404 also where
    /// the app is installed for the owner and not for that repository, and would be asked for each repository.
    package func installation(
        for owner: String?, in session: AppSession
    ) throws(InstallationFailure) -> Installation {
        guard let owner else { return try onlyInstallation(in: session) }
        let response = try send(.get, "/users/\(owner)/installation", for: owner, in: session)
        if response.status == 404 {
            throw .notInstalled(owner: DisplayText(untrusted: owner.utf8), page: Self.page(session))
        }
        guard response.status == 200, let body = JSONValue(parsing: response.body),
            let installation = Installation(body), Self.isSame(installation.owner, owner)
        else { throw .malformed(status: response.status) }
        return installation
    }

    private static func isSame(_ left: String, _ right: String) -> Bool { ASCII.equalsIgnoringCase(left.utf8, right) }

    /// "List installations for the authenticated app": a few of them, lest the answer exceed what is read.
    private func onlyInstallation(in session: AppSession) throws(InstallationFailure) -> Installation {
        let response = try send(.get, "/app/installations?per_page=5", in: session)
        guard response.status == 200, case .array(let elements)? = JSONValue(parsing: response.body) else {
            throw .malformed(status: response.status)
        }
        let installations = elements.compactMap { Installation($0) }
        guard installations.count == elements.count else { throw .malformed(status: response.status) }
        guard let first = installations.first else { throw .notInstalledAnywhere(page: Self.page(session)) }
        guard installations.count == 1 else {
            throw .several(installations.map { DisplayText(untrusted: $0.owner.utf8) })
        }
        return first
    }

    /// "Create an installation access token for an app".
    package func token(
        of installation: Installation, for repository: String?, isReadOnly: Bool, in session: AppSession
    ) throws(InstallationFailure) -> InstallationToken {
        let owner = DisplayText(untrusted: installation.owner.utf8)
        if installation.isSuspended { throw .suspended(owner: owner) }
        var body = HTTPRequest.Body.none
        if let repository {
            var members: [String: JSONValue] = ["repositories": .array([.string(Array(repository.utf8))])]
            if isReadOnly {
                let read = JSONValue.string(Array("read".utf8))
                members["permissions"] = .object(["contents": read, "metadata": read])
            }
            body = .json(Secret(JSONValue.object(members).serialized))
        }
        let path = "/app/installations/\(installation.id)/access_tokens"
        let response = try send(.post, path, body: body, for: installation.owner, in: session)
        switch response.status {
        case 201: break
        case 404: throw .notInstalled(owner: owner, page: Self.page(session))
        case 422:
            guard let repository else { throw .malformed(status: 422) }
            throw .repositoryNotIncluded(
                "\(owner)/\(DisplayText(untrusted: repository.utf8))", page: Self.page(session))
        default: throw .malformed(status: response.status)
        }
        guard let body = JSONValue(parsing: response.body),
            let token = body["token"]?.string.flatMap(TokenResponse.token),
            let end = body["expires_at"]?.string.flatMap(RFC3339Time.parse)
        else { throw .malformed(status: response.status) }
        // By the host's own clock; ours may differ.
        guard let date = response.header("date").flatMap(HTTPDate.parse) else { throw .malformed(status: 201) }
        guard end > date, end - date <= Self.longestLifetime else { throw .malformed(status: response.status) }
        return InstallationToken(token: token, expiresIn: end - date, permissions: Self.permissions(body))
    }

    private static func permissions(_ body: JSONValue) -> String? {
        let permissions = Installation.permissions(body)
        return permissions.isEmpty
            ? nil : permissions.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " ")
    }

    /// "Get the authenticated app".
    package func verify(in session: AppSession) throws(InstallationFailure) {
        let response = try send(.get, "/app", in: session)
        guard response.status == 200 else { throw .malformed(status: response.status) }
    }

    private static func page(_ session: AppSession) -> HTTPSAddress? {
        GitHub().page(.installations, on: session.host)
    }

    /// Sends a request in the app's name; what is the same for all of them is an error here.
    private func send(
        _ method: HTTPRequest.Method, _ path: String, body: HTTPRequest.Body = .none, for owner: String = "",
        in session: AppSession
    ) throws(InstallationFailure) -> HTTPResponse {
        let request = HTTPRequest(
            method, GitHub().api(path, of: session.host), body: body, authorization: .bearer(session.assertion),
            accept: GitHub.mediaType)
        let response: HTTPResponse
        do {
            response = try session.transport.send(request)
        } catch {
            throw .transport(error)
        }
        let message = GitHub.message(response)
        switch response.status {
        case 401:
            let ahead = response.header("date").flatMap(HTTPDate.parse).map { session.now() - $0 } ?? 0
            throw abs(ahead) > Self.tolerance ? .clock(ahead: ahead) : .rejected(id: DisplayText(untrusted: id.utf8))
        // An issuer that GitHub does not know.
        case 404 where message.contains("integration not found"): throw .rejected(id: DisplayText(untrusted: id.utf8))
        case 403 where message.contains("suspended"): throw .suspended(owner: DisplayText(untrusted: owner.utf8))
        case 403, 429:
            guard GitHub.isRateLimit(response, message) else { throw .forbidden(status: response.status) }
            throw .rateLimited(minutes: RateLimit(response).minutes(at: session.now()))
        case 500...: throw .unavailable(status: response.status)
        default: return response
        }
    }
}

extension Installation {
    /// Reads an installation as GitHub describes it.
    init?(_ body: JSONValue) {
        guard let id = body["id"]?.wholeNumber, id > 0, let owner = body["account"]?["login"]?.string,
            (1...100).contains(owner.count),
            owner.allSatisfy({ ASCII.isLetterOrDigit($0) || "-_".utf8.contains($0) })
        else { return nil }
        self.init(
            id: id, owner: String(decoding: owner, as: UTF8.self), isSuspended: body["suspended_at"] != nil,
            permissions: Self.permissions(body))
    }

    /// The permissions whose names and values are plain words.
    static func permissions(_ body: JSONValue) -> [String: String] {
        guard case .object(let members)? = body["permissions"] else { return [:] }
        func isWord(_ text: some Collection<UInt8>) -> Bool {
            (1...50).contains(text.count) && text.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == 0x5f }
        }
        var permissions: [String: String] = [:]
        for (name, value) in members where permissions.count < 40 && isWord(name.utf8) {
            if let text = value.string, isWord(text) { permissions[name] = String(decoding: text, as: UTF8.self) }
        }
        return permissions
    }
}
