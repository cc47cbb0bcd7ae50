package import CredentialCore

/// A GitHub App that acts in its own name where it is installed, for CI and servers without a person.
///
/// Requests carry an assertion that is valid for some minutes, and go only to the host's API.
package struct GitHubApp {
    /// The app ID or the client ID; GitHub accepts both.
    package let id: String
    private let gitHub: GitHub
    private let assertion: Secret
    private let transport: any Transport
    /// The time in seconds since 1970.
    private let now: () -> Int64

    /// Seconds until the assertion expires: GitHub accepts ten minutes, and its clock may be a minute behind ours.
    private static let lifetime: Int64 = 540
    /// Seconds by which the time of issue is antedated, as GitHub recommends, since its clock may be behind ours.
    private static let earlier: Int64 = 60
    /// The difference between the clocks in seconds that makes GitHub refuse an assertion.
    private static let tolerance: Int64 = 60
    /// The longest plausible lifetime of a token in seconds; usual is an hour.
    private static let longestLifetime: Int64 = 86_400

    package init(
        _ id: String, on gitHub: GitHub, by signer: any AssertionSigner, over transport: any Transport,
        now: @escaping () -> Int64
    ) throws(SigningKeyError) {
        // GitHub verifies RS256 alone.
        guard signer.algorithm == .rs256 else {
            throw .unsupportedKind(DisplayText(trusted: signer.algorithm.rawValue))
        }
        guard let assertion = signer.assertion(of: Self.claims(of: id, now: now())) else { throw .signing }
        self.id = id
        self.gitHub = gitHub
        self.assertion = assertion
        self.transport = transport
        self.now = now
    }

    /// "Generating a JSON Web Token for a GitHub App"; a key ID is not needed, since GitHub tries each key of the app.
    package static func claims(of id: String, now: Int64) -> JSONValue {
        AssertionClaims.registered(issuer: id, issuedAt: now - earlier, expiresAt: now + lifetime)
    }

    /// The owner and repository in a path such as `acme/private.git`, or `nil` without an owner.
    package static func place(of path: [UInt8]) -> (owner: String, repository: String?)? {
        let parts = path.split(separator: UInt8(ascii: "/"))
        guard let owner = parts.first, ASCII.isPlain(owner, with: "-_") else { return nil }
        return (String(decoding: owner, as: UTF8.self), parts.count > 1 ? name(parts[1]) : nil)
    }

    private static func name(_ part: ArraySlice<UInt8>) -> String? {
        guard ASCII.isPlain(part, with: "-_.") else { return nil }
        return RepositoryPath.name(String(decoding: part, as: UTF8.self), without: RepositoryPath.suffix)
            .map(RepositoryPath.withoutWiki)
    }

    /// "Get a user installation for the authenticated app", which also finds an organisation's (GitHub's action
    /// `create-github-app-token` relies on it).
    ///
    /// The request for a repository's installation would be needed for each repository, and returns 404 also if only
    /// another repository of the owner has the app.
    package func installation(for owner: String?) throws(InstallationFailure) -> Installation {
        guard let owner else { return try onlyInstallation() }
        let response = try send(.get, "/users/\(owner)/installation", for: owner)
        if response.status == 404 {
            throw .notInstalled(owner: DisplayText(untrusted: owner.utf8), page: gitHub.page(.installations))
        }
        guard response.status == 200, let body = response.json,
            let installation = Installation(body), ASCII.equalsIgnoringCase(installation.owner.utf8, owner)
        else { throw .malformed(status: response.status) }
        return installation
    }

    /// "List installations for the authenticated app": five at most, since the size of an answer is limited.
    private func onlyInstallation() throws(InstallationFailure) -> Installation {
        let response = try send(.get, "/app/installations?per_page=5")
        guard response.status == 200, case .array(let elements)? = response.json else {
            throw .malformed(status: response.status)
        }
        let installations = elements.compactMap { Installation($0) }
        guard installations.count == elements.count else { throw .malformed(status: response.status) }
        guard let first = installations.first else { throw .notInstalledAnywhere(page: gitHub.page(.installations)) }
        guard installations.count == 1 else {
            throw .several(installations.map { DisplayText(untrusted: $0.owner.utf8) })
        }
        return first
    }

    /// "Create an installation access token for an app", for one repository if it is given.
    package func token(
        of installation: Installation, for repository: String?
    ) throws(InstallationFailure) -> InstallationToken {
        let owner = DisplayText(untrusted: installation.owner.utf8)
        if installation.isSuspended { throw .suspended(owner: owner) }
        var body = HTTPRequest.Body.none
        if let repository {
            body = .json(JSONValue.object(["repositories": .array([.string(Array(repository.utf8))])]).serialized)
        }
        let path = "/app/installations/\(installation.id)/access_tokens"
        let response = try send(.post, path, body: body, for: installation.owner)
        switch response.status {
        case 201: break
        case 404: throw .notInstalled(owner: owner, page: gitHub.page(.installations))
        case 422:
            guard let repository else { throw .malformed(status: 422) }
            throw .repositoryNotIncluded(
                "\(owner)/\(DisplayText(untrusted: repository.utf8))", page: gitHub.page(.installations))
        default: throw .malformed(status: response.status)
        }
        guard let body = response.json, let token = body.secret("token").flatMap(TokenResponse.token),
            let end = body["expires_at"]?.string.flatMap(RFC3339Time.parse)
        else { throw .malformed(status: response.status) }
        // The lifetime counts by the host's own clock, since ours may differ.
        guard let date = response.header("date").flatMap(HTTPDate.parse), end > date, end - date <= Self.longestLifetime
        else { throw .malformed(status: response.status) }
        return InstallationToken(token: token, expiresIn: end - date, permissions: Self.permissions(body))
    }

    private static func permissions(_ body: JSONValue) -> String? {
        let permissions = Installation.permissions(body).sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        return permissions.isEmpty ? nil : permissions.joined(separator: " ")
    }

    /// "Get the authenticated app": checks that the host accepts the app and its key.
    package func verify() throws(InstallationFailure) {
        let response = try send(.get, "/app")
        guard response.status == 200 else { throw .malformed(status: response.status) }
    }

    /// Sends a request in the app's name, and throws the errors that all requests have in common.
    private func send(
        _ method: HTTPRequest.Method, _ path: String, body: HTTPRequest.Body = .none, for owner: String = ""
    ) throws(InstallationFailure) -> HTTPResponse {
        let response = try rethrowing(
            as: InstallationFailure.transport, try transport.send(gitHub.request(path, token: assertion, method, body)))
        let message = GitHub.message(response)
        switch response.status {
        case 401:
            let ahead = response.header("date").flatMap(HTTPDate.parse).map { now() - $0 } ?? 0
            throw abs(ahead) > Self.tolerance ? .clock(ahead: ahead) : .rejected(id: DisplayText(untrusted: id.utf8))
        case 404 where message.contains("integration not found"): throw .rejected(id: DisplayText(untrusted: id.utf8))
        case 403 where message.contains("suspended"): throw .suspended(owner: DisplayText(untrusted: owner.utf8))
        case 403, 429:
            guard GitHub.isRateLimit(response, message) else { throw .forbidden(status: response.status) }
            throw .rateLimited(minutes: RateLimit(response).minutes(at: now()))
        case 500...: throw .unavailable(status: response.status)
        default: return response
        }
    }
}

package struct Installation: Equatable {
    package let id: Int64
    package let owner: String
    package let isSuspended: Bool
    /// The app's permissions there, such as `contents` with `read` or `write`.
    package let permissions: [String: String]
}

extension Installation {
    init?(_ body: JSONValue) {
        guard let id = body["id"]?.wholeNumber, id > 0, let owner = body["account"]?["login"]?.string,
            (1...100).contains(owner.count), ASCII.isPlain(owner, with: "-_")
        else { return nil }
        self.init(
            id: id, owner: String(decoding: owner, as: UTF8.self), isSuspended: body["suspended_at"] != nil,
            permissions: Self.permissions(body))
    }

    static func permissions(_ body: JSONValue) -> [String: String] {
        guard case .object(let members)? = body["permissions"] else { return [:] }
        func isWord(_ text: some Collection<UInt8>) -> Bool {
            (1...50).contains(text.count) && ASCII.isPlain(text, with: "_")
        }
        var permissions: [String: String] = [:]
        for (name, value) in members where permissions.count < 40 && isWord(name.utf8) {
            if let text = value.string, isWord(text) { permissions[name] = String(decoding: text, as: UTF8.self) }
        }
        return permissions
    }
}

package struct InstallationToken {
    package let token: Secret
    /// The lifetime in seconds.
    package let expiresIn: Int64
    /// The permissions, such as `contents:write`, separated by spaces, or `nil` if unknown.
    package let permissions: String?
}

/// The reason why an app gets no token for a request.
package enum InstallationFailure: Error, Equatable {
    case incomplete(missing: SettingKey)
    /// The host has no apps that act in their own name.
    case unsupported
    /// The private key, configured at `place`, cannot be used.
    case key(SigningKeyError, place: DisplayText)
    /// The host rejects the app's ID or its key.
    case rejected(id: DisplayText)
    /// The seconds by which this machine's clock is ahead of the host's; negative if behind.
    case clock(ahead: Int64)
    case notInstalled(owner: DisplayText, page: HTTPSAddress?)
    case notInstalledAnywhere(page: HTTPSAddress?)
    case noOwner
    /// The owners of several installations, of which no setting chooses one.
    case several([DisplayText])
    /// The token must be for one repository, and the request names none.
    case repositoryUnknown
    case suspended(owner: DisplayText)
    case repositoryNotIncluded(DisplayText, page: HTTPSAddress?)
    case forbidden(status: Int)
    /// git's server rejected two tokens in a row.
    case exhausted(owner: DisplayText)
    case transport(TransportError)
    /// The app has used up its requests for some minutes.
    case rateLimited(minutes: Int64)
    case unavailable(status: Int)
    /// The answer does not follow the host's documentation.
    case malformed(status: Int)
}
