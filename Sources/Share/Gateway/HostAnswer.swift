internal import CredentialCore

/// The head of the host's answer: everything in it is untrusted.
package struct HostAnswer {
    package enum Verdict {
        /// With the body, as it comes.
        case pass(GatewayResponse)
        /// The host's body is of no use.
        case answer(GatewayResponse)
        case refuse(HTTPRefusal)
        /// Once, with another token: a 401 at `info/refs`.
        case askAgain
    }

    private let status: Int
    private let contentType: [UInt8]?
    private let cacheControl: [UInt8]?
    private let location: [UInt8]?

    package init(
        status: Int, contentType: [UInt8]? = nil, cacheControl: [UInt8]? = nil, location: [UInt8]? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.cacheControl = cacheControl
        self.location = location
    }

    /// What becomes of it; `isRepeated` if it is the answer to the second token.
    package func verdict(on request: HostRequest, under policy: GatewayPolicy, isRepeated: Bool) -> Verdict {
        let endpoint = request.endpoint
        let (name, host) = (endpoint.repository.displayName, DisplayText(untrusted: endpoint.repository.host.text))
        switch status {
        case 301, 302, 303, 307, 308: return redirection(of: endpoint, under: policy)
        case 401: return endpoint.isDiscovery && !isRepeated ? .askAgain : .refuse(.tokenRejected(host: host))
        case 403: return .refuse(.forbidden(endpoint.service, repository: name, host: host))
        case 404: return .refuse(.noSuchRepository(name, host: host))
        // 407 is for whoever is in between, and that is us.
        case 200, 400..<407, 408..<600:
            let fields = [("Content-Type", contentType), ("Cache-Control", cacheControl)]
            return .pass(
                GatewayResponse(
                    status: status, fields: fields.compactMap { name, value in Self.text(value).map { (name, $0) } },
                    body: .stream))
        default: return .refuse(.badGateway(host: host))
        }
    }

    /// Never followed here; the client may go there itself, where it would be let.
    ///
    /// GitLab sends whoever leaves out `.git` to the name that has it.
    private func redirection(of endpoint: GitEndpoint, under policy: GatewayPolicy) -> Verdict {
        let (name, host) = (endpoint.repository.displayName, DisplayText(untrusted: endpoint.repository.host.text))
        guard endpoint.isDiscovery, let new = target(for: endpoint.repository.host), new.service == endpoint.service,
            new.path != endpoint.path
        else { return .refuse(.moved(name, host: host, to: nil)) }
        guard let shared = policy.shared(new), shared.path != endpoint.path else {
            return .refuse(.moved(name, host: host, to: new.repository.displayName))
        }
        let path = "/\(String(decoding: shared.repository.host.text, as: UTF8.self))\(shared.path)"
        return .answer(GatewayResponse(status: 301, fields: [("Location", path)], body: .bytes([])))
    }

    /// The refs of a repository on the same host, as `Location` names them (RFC 9110, 10.2.2).
    private func target(for host: HostName) -> GitEndpoint? {
        guard let location = Self.text(location) else { return nil }
        let authority = String(decoding: host.text, as: UTF8.self)
        let isPath = location.hasPrefix("/")
        guard let address = HTTPSAddress(parsing: isPath ? "https://\(authority)\(location)" : location),
            address.authority == authority, let target = RequestTarget("/\(authority)\(address.path)".utf8)
        else { return nil }
        return GitEndpoint(.get, target)
    }

    /// A value that fits into a field: printable ASCII.
    private static func text(_ value: [UInt8]?) -> String? {
        guard let value, value.count <= 2_048, value.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }
}
