package import CredentialCore

/// Asks an issuer where its endpoints are: RFC 8414, and OpenID Connect Discovery 1.0.
struct Discovery {
    let issuer: Issuer
    /// The configured endpoints, which replace those in the metadata.
    let configured: SignInSettings?
    let transport: any Transport
    /// The number of well-known addresses to ask.
    var addresses = 2

    /// Finds the server; redirects are not followed, since the person has not chosen their target.
    ///
    /// - Throws: the reason why there is no usable document. A wrong document ends the search; a missing or incomplete
    ///   one does not.
    func server() throws(DiscoveryError) -> OAuthServer {
        var reason = DiscoveryError.absent
        // The other document may have a device flow; most servers have one document, or the same one twice.
        var withoutDeviceFlow: OAuthServer?
        for address in issuer.metadataAddresses.prefix(addresses) {
            // A site's page for a missing address, which means that the other one counts, may be long.
            let request = HTTPRequest(.get, address, largestBody: 1 << 20)
            let response = try rethrowing(as: DiscoveryError.transport, try transport.send(request))
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
        // Checks unused addresses too: an issuer with one without TLS must not get tokens.
        var addresses: [DiscoveryError.Member: HTTPSAddress] = [:]
        for member in DiscoveryError.Member.allCases {
            guard let value = document[member.rawValue], value != .null else { continue }
            guard let text = value.string.flatMap({ String(validating: $0, as: UTF8.self) }),
                let address = HTTPSAddress(parsing: text)
            else { throw .insecure(member) }
            addresses[member] = address
        }
        // Foreign endpoints get no codes and tokens; some providers have userinfo on a host of another service.
        let trusted = [
            issuer.address, configured?.deviceAuthorizationEndpoint, configured?.authorizationEndpoint,
            configured?.tokenEndpoint,
        ]
        let own = addresses.filter { _, address in trusted.contains { $0?.isSameOrigin(as: address) == true } }
        func required(_ member: DiscoveryError.Member) throws(DiscoveryError) -> HTTPSAddress {
            if let address = own[member] { return address }
            guard let foreign = addresses[member] else { throw .missing(member) }
            throw .foreign(member, host: DisplayText(trusted: foreign.authority))
        }
        let token = if let configured = configured?.tokenEndpoint { configured } else { try required(.token) }
        var server = OAuthServer(token: token)
        server.issuer = issuer
        server.revocation = own[.revocation]
        server.userinfo = own[.userinfo]
        server.keys = addresses[.keys]
        server.knownScopes = Self.words(document["scopes_supported"])
        server.secretMethods = Self.secretMethods(document)
        server.challengeMethods = Self.words(document["code_challenge_methods_supported"])
        server.prompts = Self.words(document["prompt_values_supported"])
        server.namesIssuer = document["authorization_response_iss_parameter_supported"] == .bool(true)
        server.deviceAuthorization = own[.deviceAuthorization]
        // Without RFC 7636, a stolen code is enough for the token.
        let mayTakeChallenge = server.challengeMethods?.contains("S256") != false
        if mayTakeChallenge { server.authorization = own[.authorization] }
        server = server.with(configured)
        if server.deviceAuthorization == nil, server.authorization == nil {
            // The error names the missing device endpoint if both flows are missing.
            let isElsewhere =
                mayTakeChallenge && addresses[.authorization] != nil && addresses[.deviceAuthorization] == nil
            _ = try required(isElsewhere ? .authorization : .deviceAuthorization)
        }
        return server
    }

    /// The methods for the secret; HTTP Basic alone if the list is absent (RFC 8414, 2).
    ///
    /// The list decides nothing else: glewlwyd omits `none` and still serves public clients, and an attempt costs
    /// nothing.
    private static func secretMethods(_ document: JSONValue) -> [SecretMethod] {
        guard let names = words(document["token_endpoint_auth_methods_supported"]) else { return [.basic] }
        let listed = SecretMethod.allCases.filter { names.contains($0.rawValue) }
        return listed.isEmpty ? SecretMethod.allCases : listed
    }

    private static func words(_ value: JSONValue?) -> [String]? {
        guard case .array(let values)? = value else { return nil }
        return values.compactMap { $0.string.flatMap { String(validating: $0, as: UTF8.self) } }
    }
}

package enum DiscoveryError: Error, Equatable {
    /// The issuer is not an https URL, or has a query or a fragment.
    case malformedIssuer(DisplayText)
    /// The issuer stands for all tenants of this host.
    case tenantNeeded(DisplayText)
    case transport(TransportError)
    case unavailable(status: Int)
    /// No well-known address has a document; a redirect counts as none.
    case absent
    /// A refusal, or a web page instead of the document.
    case blocked(status: Int, isPage: Bool)
    /// The document names another issuer.
    case wrongIssuer(DisplayText)
    case insecure(Member)
    /// An address is neither on the issuer's host nor configured.
    case foreign(Member, host: DisplayText)
    /// A required address is missing; the device endpoint stands for both flows.
    case missing(Member)

    /// A member of the document (RFC 8414, 2; RFC 8628, 4; OpenID Connect Discovery 1.0, 3).
    package enum Member: String, CaseIterable {
        case deviceAuthorization = "device_authorization_endpoint"
        case authorization = "authorization_endpoint"
        case token = "token_endpoint"
        case revocation = "revocation_endpoint"
        case userinfo = "userinfo_endpoint"
        case keys = "jwks_uri"
    }
}

/// An issuer: an https URL without query and fragment, compared exactly (RFC 8414, 2).
package struct Issuer: Equatable {
    /// The text as configured, which must be the issuer's own spelling.
    package let text: String
    package let address: HTTPSAddress

    package init?(_ text: String) {
        guard let address = HTTPSAddress(parsing: text), !address.path.utf8.contains(UInt8(ascii: "?")) else {
            return nil
        }
        self.text = text
        self.address = address
    }

    /// Makes the issuer of a host that is its own.
    package init(_ origin: HTTPSAddress) {
        text = origin.origin
        address = HTTPSAddress(host: origin.host, port: origin.port)
    }

    /// The addresses of metadata, in the order of attempts.
    ///
    /// OpenID Connect Discovery 1.0, 4, appends to the issuer's path; RFC 8414, 3.1, prepends to it. The first usually
    /// has more: the keys and the userinfo endpoint.
    var metadataAddresses: [HTTPSAddress] {
        let path = address.path.hasSuffix("/") ? String(address.path.dropLast()) : address.path
        return [path + "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server" + path].map {
            HTTPSAddress(host: address.host, port: address.port, path: $0)
        }
    }
}
