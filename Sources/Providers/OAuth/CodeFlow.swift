package import CredentialCore

/// ⑤ A request of the authorization code grant for a native app (RFC 6749, 4.1; RFC 7636, S256; RFC 8252; RFC 9207).
///
/// Each request is used once.
package struct AuthorizationRequest {
    package let page: HTTPSAddress
    package let redirectURI: String
    /// The nonce of the ID token (OpenID Connect Core 1.0, 3.1.2.1), or `nil` if none is requested.
    package let nonce: String?
    /// The proof key (RFC 7636, 4.1), for the token endpoint alone: without it, a stolen code is useless.
    let verifier: Secret
    private let state: Secret
    private let client: OAuthClient

    /// `account` must be a valid account name of the service.
    package init(
        by client: OAuthClient, at endpoint: HTTPSAddress, redirectURI: String, account: String?, prompt: String? = nil
    ) {
        let (state, verifier) = (Self.random(), Self.random())
        var digest = SHA256()
        digest.update(verifier.utf8)
        let isOpenID = client.scopes.split(separator: " ").contains("openid")
        nonce = isOpenID ? Self.random() : nil
        var query = FormBuilder()
        query.add("response_type", "code".utf8)
        query.add("client_id", client.id.utf8)
        query.add("redirect_uri", redirectURI.utf8)
        query.add("scope", client.scopes.utf8)
        query.add("state", state.utf8)
        query.add("code_challenge", Base64URL.encode(digest.digest()))
        query.add("code_challenge_method", "S256".utf8)
        if let nonce { query.add("nonce", nonce.utf8) }
        if let prompt { query.add("prompt", prompt.utf8) }
        if let account { query.add("login_hint", account.utf8) }
        // The endpoint's own query has to be kept (RFC 6749, 3.1).
        let separator = endpoint.path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        page = HTTPSAddress(host: endpoint.host, port: endpoint.port, path: endpoint.path + separator + query.query())
        self.redirectURI = redirectURI
        self.state = Secret(Array(state.utf8))
        self.verifier = Secret(Array(verifier.utf8))
        self.client = client
    }

    /// Returns 256 random bits in 43 characters.
    private static func random() -> String { String(decoding: Base64URL.random(bytes: 32), as: UTF8.self) }

    /// Whether fields contain the state, which no other program and no page in the browser knows (RFC 6749, 10.12).
    package func isAnswered(by fields: FormFields) -> Bool { fields.secret("state") == state }

    /// The code (RFC 6749, 4.1.2); code and error count only from the right issuer (RFC 9207, 2.4).
    package func code(in fields: FormFields) throws(SignInError) -> Secret {
        let answering = fields["iss"]
        if client.server.namesIssuer || answering != nil {
            guard let answering, isIssuer(answering) else {
                throw .foreignIssuer(answering.map { DisplayText(untrusted: $0) })
            }
        }
        if let error = fields["error"] {
            throw client.meaning(
                of: client.server.code(error), at: .page, described: fields["error_description"])
        }
        // RFC 6749, A.11.
        guard let code = fields.secret("code"), (1...8_192).contains(code.count),
            code.reveal({ $0.allSatisfy(ASCII.isPrintable) })
        else { throw .malformedAnswer }
        return code
    }

    /// Whether a name is exactly the issuer's; without metadata, whether its origin is the page's.
    private func isIssuer(_ name: [UInt8]) -> Bool {
        if let issuer = client.server.issuer { return name.elementsEqual(issuer.text.utf8) }
        return String(validating: name, as: UTF8.self).flatMap(HTTPSAddress.init(parsing:))?.isSameOrigin(as: page)
            == true
    }
}

/// The host of the redirect address (RFC 8252, 7.3); servers ignore its port.
package enum RedirectHost: String, CaseIterable {
    /// The usual host, which cannot be made to resolve elsewhere (8.3).
    case loopbackAddress = "127.0.0.1"
    /// The host for servers that ignore the port of this name alone.
    case localhost
    /// A host that only a person configures.
    case loopbackAddressIPv6 = "[::1]"

    package var name: String { rawValue }
}
