package import CredentialCore

/// GitHub: github.com, *.ghe.com (data residency) and Enterprise Server, by docs.github.com.
package struct GitHub: FixedEndpoints {
    package let displayName: DisplayText = "GitHub"

    /// What GitHub's own tools use; any name will do.
    package let anyUsername = "x-access-token"

    /// Clone and push, workflow files, gists.
    ///
    /// There is no narrower scope for private repositories, and GitHub Apps ignore the list.
    package let defaultScopes = "repo workflow gist"

    package let includedScopes = ["repo": ["public_repo", "repo:status", "repo_deployment", "repo:invite"]]

    /// The documentation has two names for a code that has ended.
    package let dialect = OAuthDialect(
        errorCodes: [
            "token_expired": .expiredToken, "device_flow_disabled": .deviceFlowDisabled,
            "incorrect_client_credentials": .incorrectClientCredentials, "incorrect_device_code": .incorrectDeviceCode,
            "bad_verification_code": .incorrectDeviceCode, "unverified_user_email": .unverifiedUserEmail,
            "bad_refresh_token": .invalidGrant,
        ],
        // `404 {"error":"Not Found"}`, or a page.
        unknownClientStatus: 404,
        // Asked with spaces, it answers with commas.
        scopeSeparator: UInt8(ascii: ","))

    /// git over HTTPS takes a token as a password alone.
    package let takesBearer = false

    package init() {}

    package func endpoints(of host: SignInHost) -> OAuthEndpoints {
        OAuthEndpoints(
            deviceAuthorization: host.origin.appending("/login/device/code"),
            token: host.origin.appending("/login/oauth/access_token"))
    }

    /// An address of the REST API: on a host of its own, but for Enterprise Server.
    func api(_ path: String, of host: SignInHost) -> HTTPSAddress {
        let base =
            host.isBuiltIn ? HTTPSAddress(host: "api.\(host.origin.host)") : host.origin.appending("/api/v3")
        return base.appending(path)
    }

    /// A request to the REST API: "Getting started with the REST API".
    func request(_ address: HTTPSAddress, token: Secret?) -> HTTPRequest {
        HTTPRequest(.get, address, authorization: token.map { .bearer($0) } ?? .none, accept: Self.mediaType)
    }

    static let mediaType = "application/vnd.github+json"

    package func app(_ id: String) -> (any InstallableApp)? { GitHubApp(id: id) }

    /// "Get the authenticated user"; of an installation's token, whose owner is no user, what shows that it is good.
    package func account(of token: Secret, on host: SignInHost, over transport: any Transport) -> AccountAnswer {
        if Self.isInstallations(token) { return installationAccount(of: token, on: host, over: transport) }
        return AccountAnswer(asking: request(api("/user", of: host), token: token), for: "login", over: transport)
    }

    /// "Username may only contain alphanumeric characters or single hyphens", up to 39 of them; those of an enterprise
    /// have an underscore before its short code.
    package func isAccountName(_ name: [UInt8]) -> Bool { isName(name, signs: "-_", longest: 39) }

    /// "Revoke a list of credentials".
    ///
    /// The endpoint is for whoever holds a token, and refuses a request that is authenticated. github.com alone has it.
    /// What it has accepted is done within minutes, and the owner is told by e-mail.
    package func revoke(
        _ grants: [RevocableGrant], on host: SignInHost, over transport: any Transport
    ) -> RevocationOutcome {
        let all = grants.flatMap(\.tokens)
        let outcome = revokeInstallations(all.filter(Self.isInstallations), on: host, over: transport)
        let tokens = all.filter { !Self.isInstallations($0) }
        guard !tokens.isEmpty, outcome == .accepted else { return outcome }
        guard host.isBuiltIn, host.origin.host == "github.com" else { return .unsupported }
        let request = HTTPRequest(
            .post, api("/credentials/revoke", of: host), body: .json(Self.body(tokens)),
            accept: Self.mediaType)
        do {
            let response = try transport.send(request)
            return response.status == 202 ? .accepted : .refused(status: response.status)
        } catch {
            return .failed(error)
        }
    }

    /// `{"credentials":["…","…"]}`; tokens are made of characters that JSON takes as they are (`Secret.isToken`).
    private static func body(_ tokens: [Secret]) -> Secret {
        var text = Array(#"{"credentials":["#.utf8)
        defer { text.wipe() }
        for (index, token) in tokens.enumerated() {
            text += index == 0 ? [UInt8(ascii: "\"")] : Array(#",""#.utf8)
            token.reveal { text += $0 }
            text.append(UInt8(ascii: "\""))
        }
        text += Array("]}".utf8)
        return Secret(text)
    }
}
