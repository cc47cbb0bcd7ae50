package import CredentialCore

/// Asks an issuer where its endpoints are: RFC 8414, and OpenID Connect Discovery 1.0.
package struct Discovery {
    private let issuer: Issuer
    private let configured: ConfiguredEndpoints
    private let transport: any Transport
    /// Of the two addresses, so many are asked.
    private let addresses: Int

    /// Each takes the place of what the server says.
    package struct ConfiguredEndpoints {
        /// RFC 8628, 3.1.
        package var deviceAuthorization: HTTPSAddress?
        /// RFC 6749, 3.1.
        package var authorization: HTTPSAddress?
        /// RFC 6749, 3.2.
        package var token: HTTPSAddress?

        package init(
            deviceAuthorization: HTTPSAddress? = nil, authorization: HTTPSAddress? = nil, token: HTTPSAddress? = nil
        ) {
            self.deviceAuthorization = deviceAuthorization
            self.authorization = authorization
            self.token = token
        }
    }

    package init(
        _ issuer: Issuer, configured: ConfiguredEndpoints, over transport: any Transport, addresses: Int = 2
    ) {
        self.addresses = addresses
        self.issuer = issuer
        self.configured = configured
        self.transport = transport
    }

    /// No redirect is followed, since who it leads to is nobody's choice, and the transport limits the body.
    ///
    /// - Throws: why there are none. A document that is wrong is the issuer's word, and ends the search; one that is
    ///   not there, or says too little, does not.
    package func endpoints() throws(DiscoveryError) -> OAuthEndpoints {
        var reason = DiscoveryError.absent
        // The other document may know a device flow; most servers have but one document, or the same twice.
        var withoutDeviceFlow: OAuthEndpoints?
        for address in issuer.metadataAddresses.prefix(addresses) {
            let response: HTTPResponse
            do {
                response = try transport.send(HTTPRequest(.get, address))
            } catch {
                throw .transport(error)
            }
            if response.status == 429 || response.status >= 500 { reason = .unavailable(status: response.status) }
            // A server may show the same page for people at every address.
            guard response.status == 200, let document = JSONValue(parsing: response.body), case .object = document
            else { continue }
            do throws(DiscoveryError) {
                let endpoints = try endpoints(in: document)
                guard endpoints.deviceAuthorization == nil else { return endpoints }
                withoutDeviceFlow = withoutDeviceFlow ?? endpoints
            } catch .missing(let member) {
                reason = .missing(member)
            }
        }
        guard let withoutDeviceFlow else { throw reason }
        return withoutDeviceFlow
    }

    private func endpoints(in document: JSONValue) throws(DiscoveryError) -> OAuthEndpoints {
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
        let token = try own(.token, addresses, unless: configured.token)
        var metadata = ServerMetadata(
            issuer: issuer, keys: addresses[.keys], userinfo: ownIfAny(.userinfo, addresses),
            scopes: Self.words(document["scopes_supported"]), wantsBasic: Self.wantsBasic(document))
        metadata.challengeMethods = Self.words(document["code_challenge_methods_supported"])
        metadata.prompts = Self.words(document["prompt_values_supported"])
        metadata.namesIssuer = document["authorization_response_iss_parameter_supported"] == .bool(true)
        let device = configured.deviceAuthorization ?? ownIfAny(.deviceAuthorization, addresses)
        // Without RFC 7636 whoever learns the code has the token.
        let mayTakeChallenge = metadata.challengeMethods?.contains("S256") != false
        let authorization = configured.authorization ?? (mayTakeChallenge ? ownIfAny(.authorization, addresses) : nil)
        if device == nil, authorization == nil {
            // Why there is neither; the device flow's absence stands for both.
            let isElsewhere =
                mayTakeChallenge && addresses[.authorization] != nil && addresses[.deviceAuthorization] == nil
            _ = try own(isElsewhere ? .authorization : .deviceAuthorization, addresses, unless: nil)
        }
        return OAuthEndpoints(
            deviceAuthorization: device, authorization: authorization, token: token,
            revocation: ownIfAny(.revocation, addresses), metadata: metadata)
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
        [issuer.address, configured.deviceAuthorization, configured.authorization, configured.token].compactMap(\.self)
            .contains { $0.isSameOrigin(as: address) }
    }

    /// Whether a secret has to be sent by HTTP Basic, which RFC 8414, 2, assumes where the list is absent.
    ///
    /// The list decides nothing else. Where it lacks what is configured, the server is asked all the same: glewlwyd, for
    /// one, leaves out `none` and serves public clients, and a refusal costs nothing before anybody has been asked.
    private static func wantsBasic(_ document: JSONValue) -> Bool {
        guard let methods = words(document["token_endpoint_auth_methods_supported"]) else { return true }
        return methods.contains("client_secret_basic") && !methods.contains("client_secret_post")
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
    /// At either of the two well-known addresses; whoever redirects has none either.
    case absent
    /// Whose the document is.
    case wrongIssuer(DisplayText)
    /// It is no https URL.
    case insecure(Member)
    /// It is neither the issuer's nor configured.
    case foreign(Member, host: DisplayText)
    /// Without it there is no sign-in; the device flow's stands for both flows.
    case missing(Member)

    /// By its name in the document (RFC 8414, 2; RFC 8628, 4; OpenID Connect Discovery 1.0, 3).
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

/// What a server publishes beside its endpoints: RFC 8414, section 2.
package struct ServerMetadata: Equatable {
    package var issuer: Issuer
    /// On any host; nil if the server does not say.
    ///
    /// It is for the issuer to say which keys are its own, and nothing of ours goes there.
    package var keys: HTTPSAddress?
    /// It tells whose an access token is; nil if the server does not say, or if that is on a foreign host.
    package var userinfo: HTTPSAddress?
    /// Those that the server knows; nil if it does not say.
    package var scopes: [String]?
    /// A client secret is taken as HTTP Basic credentials only.
    package var wantsBasic: Bool
    /// Of RFC 7636, 4.3; nil if it does not say.
    package var challengeMethods: [String]?
    /// Of OpenID Connect (Initiating User Registration 1.0, 4); nil if it does not say.
    package var prompts: [String]?
    /// RFC 9207, 3: each authorization response has an `iss`.
    package var namesIssuer = false

    package init(
        issuer: Issuer, keys: HTTPSAddress? = nil, userinfo: HTTPSAddress? = nil, scopes: [String]? = nil,
        wantsBasic: Bool = false
    ) {
        self.issuer = issuer
        self.keys = keys
        self.userinfo = userinfo
        self.scopes = scopes
        self.wantsBasic = wantsBasic
    }

    /// Those that the server knows, as far as it says.
    ///
    /// One that it does not know may be an `invalid_scope` (RFC 6749, 5.2). Without `offline_access` in its list it gives
    /// refresh tokens unasked, or none at all.
    package func known(of scopes: String) -> String {
        guard let known = self.scopes else { return scopes }
        return scopes.split(separator: " ").filter { known.contains(String($0)) }.joined(separator: " ")
    }
}
