package import CredentialCore

/// Asks an issuer where its endpoints are: RFC 8414, and OpenID Connect Discovery 1.0.
package struct Discovery {
    private let issuer: Issuer
    private let configured: ConfiguredEndpoints
    private let transport: any Transport

    /// The endpoints that the person has named; each takes the place of what the server says.
    package struct ConfiguredEndpoints {
        /// RFC 8628, 3.1.
        package var deviceAuthorization: HTTPSAddress?
        /// RFC 6749, 3.2.
        package var token: HTTPSAddress?

        package init(deviceAuthorization: HTTPSAddress? = nil, token: HTTPSAddress? = nil) {
            self.deviceAuthorization = deviceAuthorization
            self.token = token
        }
    }

    package init(_ issuer: Issuer, configured: ConfiguredEndpoints, over transport: any Transport) {
        self.issuer = issuer
        self.configured = configured
        self.transport = transport
    }

    /// Asks; no redirect is followed, since who it leads to is nobody's choice, and the transport limits the body.
    ///
    /// - Returns: the endpoints.
    /// - Throws: why there are none. A document that is wrong is the issuer's word, and ends the search; one that is not
    ///   there, or says too little, does not.
    package func endpoints() throws(DiscoveryError) -> OAuthEndpoints {
        var reason = DiscoveryError.absent
        for address in issuer.metadataAddresses {
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
                return try endpoints(in: document)
            } catch .missing(let member) {
                reason = .missing(member)
            }
        }
        throw reason
    }

    private func endpoints(in document: JSONValue) throws(DiscoveryError) -> OAuthEndpoints {
        guard let name = document["issuer"]?.string, name.elementsEqual(issuer.text.utf8) else {
            throw .wrongIssuer(DisplayText(document["issuer"]?.string ?? []))
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
        let device = try own(.deviceAuthorization, addresses, unless: configured.deviceAuthorization)
        let token = try own(.token, addresses, unless: configured.token)
        let metadata = ServerMetadata(
            issuer: issuer, keys: addresses[.keys], userinfo: ownIfAny(.userinfo, addresses),
            scopes: Self.words(document["scopes_supported"]), wantsBasic: Self.wantsBasic(document))
        return OAuthEndpoints(
            deviceAuthorization: device, token: token, revocation: ownIfAny(.revocation, addresses),
            metadata: metadata)
    }

    /// An endpoint without which there is no sign-in; codes and refresh tokens go there.
    private func own(
        _ member: DiscoveryError.Member, _ addresses: [DiscoveryError.Member: HTTPSAddress],
        unless configured: HTTPSAddress?
    ) throws(DiscoveryError) -> HTTPSAddress {
        if let configured { return configured }
        guard let address = addresses[member] else { throw .missing(member) }
        guard isTrusted(address) else { throw .foreign(member, host: DisplayText(own: address.authority)) }
        return address
    }

    /// An endpoint that is left alone if it is elsewhere: some providers have their userinfo endpoint on a host of another
    /// service, and nothing of ours goes there.
    private func ownIfAny(
        _ member: DiscoveryError.Member, _ addresses: [DiscoveryError.Member: HTTPSAddress]
    ) -> HTTPSAddress? {
        addresses[member].flatMap { isTrusted($0) ? $0 : nil }
    }

    /// Whether an endpoint is where the person has said that tokens may go.
    private func isTrusted(_ address: HTTPSAddress) -> Bool {
        [issuer.address, configured.deviceAuthorization, configured.token].compactMap(\.self)
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

    /// A list of words; nil if it is none.
    private static func words(_ value: JSONValue?) -> [String]? {
        guard case .array(let values)? = value else { return nil }
        return values.compactMap { $0.string.flatMap { String(validating: $0, as: UTF8.self) } }
    }
}
