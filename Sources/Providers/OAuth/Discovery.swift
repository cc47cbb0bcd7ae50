package import CredentialCore

/// Asks an issuer where its endpoints are: RFC 8414, and OpenID Connect Discovery 1.0.
struct Discovery {
    let issuer: Issuer
    /// Its endpoints take the place of what the server says.
    let configured: SignInSettings?
    let transport: any Transport
    /// Of the two addresses, so many are asked.
    var addresses = 2

    /// No redirect is followed, since who it leads to is nobody's choice, and the transport limits the body.
    ///
    /// - Throws: why there are none. A document that is wrong is the issuer's word, and ends the search; one that is
    ///   not there, or says too little, does not.
    func server() throws(DiscoveryError) -> OAuthServer {
        var reason = DiscoveryError.absent
        // The other document may know a device flow; most servers have but one document, or the same twice.
        var withoutDeviceFlow: OAuthServer?
        for address in issuer.metadataAddresses.prefix(addresses) {
            let response = try rethrowing(as: DiscoveryError.transport, try transport.send(HTTPRequest(.get, address)))
            if response.status == 429 || response.status >= 500 { reason = .unavailable(status: response.status) }
            if [401, 403].contains(response.status) || response.status == 200 && response.fields == nil {
                reason = .blocked(status: response.status, isPage: response.isPage)
            }
            guard response.status == 200, let document = response.fields else { continue }
            do throws(DiscoveryError) {
                let server = try server(in: document)
                guard server.deviceAuthorization == nil else { return server }
                withoutDeviceFlow = withoutDeviceFlow ?? server
            } catch .missing(let member) {
                reason = .missing(member)
            }
        }
        guard let withoutDeviceFlow else { throw reason }
        return withoutDeviceFlow
    }

    private func server(in document: JSONValue) throws(DiscoveryError) -> OAuthServer {
        guard let name = document["issuer"]?.string, name.elementsEqual(issuer.text.utf8) else {
            throw .wrongIssuer(DisplayText(untrusted: document["issuer"]?.string ?? []))
        }
        // Every one of them, used or not: an issuer that names one without TLS is not one to trust with tokens.
        var addresses: [DiscoveryError.Member: HTTPSAddress] = [:]
        for member in DiscoveryError.Member.allCases {
            guard let value = document[member.rawValue], value != .null else { continue }
            guard let text = value.string.flatMap({ String(validating: $0, as: UTF8.self) }),
                let address = HTTPSAddress(parsing: text)
            else { throw .insecure(member) }
            addresses[member] = address
        }
        var server = OAuthServer(token: try own(.token, addresses, unless: configured?.tokenEndpoint))
        server.issuer = issuer
        server.revocation = ownIfAny(.revocation, addresses)
        server.userinfo = ownIfAny(.userinfo, addresses)
        server.keys = addresses[.keys]
        server.knownScopes = Self.words(document["scopes_supported"])
        server.secretMethods = Self.secretMethods(document)
        server.challengeMethods = Self.words(document["code_challenge_methods_supported"])
        server.prompts = Self.words(document["prompt_values_supported"])
        server.namesIssuer = document["authorization_response_iss_parameter_supported"] == .bool(true)
        server.deviceAuthorization = ownIfAny(.deviceAuthorization, addresses)
        // Without RFC 7636 whoever learns the code has the token.
        let mayTakeChallenge = server.challengeMethods?.contains("S256") != false
        if mayTakeChallenge { server.authorization = ownIfAny(.authorization, addresses) }
        server = server.with(configured)
        if server.deviceAuthorization == nil, server.authorization == nil {
            // Why there is neither; the device flow's absence stands for both.
            let isElsewhere =
                mayTakeChallenge && addresses[.authorization] != nil && addresses[.deviceAuthorization] == nil
            _ = try own(isElsewhere ? .authorization : .deviceAuthorization, addresses, unless: nil)
        }
        return server
    }

    /// Without it there is no sign-in; codes and refresh tokens go there.
    private func own(
        _ member: DiscoveryError.Member, _ addresses: [DiscoveryError.Member: HTTPSAddress],
        unless configured: HTTPSAddress?
    ) throws(DiscoveryError) -> HTTPSAddress {
        if let configured { return configured }
        guard let address = addresses[member] else { throw .missing(member) }
        guard isTrusted(address) else { throw .foreign(member, host: DisplayText(trusted: address.authority)) }
        return address
    }

    /// An endpoint that is left alone if it is elsewhere: some providers have their userinfo endpoint on a host of another
    /// service, and nothing of ours goes there.
    private func ownIfAny(
        _ member: DiscoveryError.Member, _ addresses: [DiscoveryError.Member: HTTPSAddress]
    ) -> HTTPSAddress? {
        addresses[member].flatMap { isTrusted($0) ? $0 : nil }
    }

    /// The person has said that tokens may go there.
    private func isTrusted(_ address: HTTPSAddress) -> Bool {
        let named = [
            configured?.deviceAuthorizationEndpoint, configured?.authorizationEndpoint, configured?.tokenEndpoint,
        ]
        return address.isSameOrigin(as: issuer.address)
            || named.contains { $0?.isSameOrigin(as: address) == true }
    }

    /// HTTP Basic alone where the list is absent (RFC 8414, 2).
    ///
    /// The list decides nothing else. Where it lacks what is configured, the server is asked all the same: glewlwyd, for
    /// one, leaves out `none` and serves public clients, and a refusal costs nothing before anybody has been asked.
    private static func secretMethods(_ document: JSONValue) -> [SecretMethod] {
        guard let names = words(document["token_endpoint_auth_methods_supported"]) else { return [.basic] }
        let listed = SecretMethod.allCases.filter { names.contains($0.rawValue) }
        return listed.isEmpty ? SecretMethod.allCases : listed
    }

    /// Nil if it is no list of words.
    private static func words(_ value: JSONValue?) -> [String]? {
        guard case .array(let values)? = value else { return nil }
        return values.compactMap { $0.string.flatMap { String(validating: $0, as: UTF8.self) } }
    }
}

package enum DiscoveryError: Error, Equatable {
    /// It is no https URL, or has a query or a fragment.
    case malformedIssuer(DisplayText)
    /// It stands for all tenants of that host.
    case tenantNeeded(DisplayText)
    case transport(TransportError)
    case unavailable(status: Int)
    /// There is no document at either of the two well-known addresses; a redirect counts as none.
    case absent
    /// Something answers in the document's place: a web page, or a refusal.
    case blocked(status: Int, isPage: Bool)
    /// Whose the document is.
    case wrongIssuer(DisplayText)
    /// It is no https URL.
    case insecure(Member)
    /// It is neither the issuer's nor configured.
    case foreign(Member, host: DisplayText)
    /// Without it there is no sign-in; the device flow's stands for both flows.
    case missing(Member)

    /// A member, by its name in the document (RFC 8414, 2; RFC 8628, 4; OpenID Connect Discovery 1.0, 3).
    package enum Member: String, CaseIterable {
        case deviceAuthorization = "device_authorization_endpoint"
        case authorization = "authorization_endpoint"
        case token = "token_endpoint"
        case revocation = "revocation_endpoint"
        case userinfo = "userinfo_endpoint"
        case keys = "jwks_uri"
    }
}

/// An https URL without query and fragment, which is compared letter by letter (RFC 8414, 2).
package struct Issuer: Equatable {
    /// As the person wrote it, and as the server must call itself.
    package let text: String
    package let address: HTTPSAddress

    /// Nil if the text is no such URL.
    package init?(_ text: String) {
        guard let address = HTTPSAddress(parsing: text), !address.path.utf8.contains(UInt8(ascii: "?")) else {
            return nil
        }
        self.text = text
        self.address = address
    }

    /// That of a host without any other: itself.
    package init(_ origin: HTTPSAddress) {
        text = origin.origin
        address = HTTPSAddress(host: origin.host, port: origin.port)
    }

    /// In the order in which they are tried.
    ///
    /// OpenID Connect Discovery 1.0, 4, appends to the issuer's path; RFC 8414, 3.1, puts its word before that path. Most
    /// servers that have both say more in the first: where the keys and the userinfo endpoint are.
    var metadataAddresses: [HTTPSAddress] {
        let path = address.path.hasSuffix("/") ? String(address.path.dropLast()) : address.path
        return [path + "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server" + path].map {
            HTTPSAddress(host: address.host, port: address.port, path: $0)
        }
    }
}
