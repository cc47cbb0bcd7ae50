package import CredentialCore

/// Who issues tokens: an https URL without query and fragment, which is compared letter by letter (RFC 8414, 2).
package struct Issuer: Equatable {
    /// As the person wrote it, and as the server must call itself.
    package let text: String
    /// Where it is.
    package let address: HTTPSAddress

    /// An issuer; nil if the text is no such URL.
    package init?(_ text: String) {
        guard let address = HTTPSAddress(parsing: text), !address.path.utf8.contains(UInt8(ascii: "?")) else {
            return nil
        }
        self.text = text
        self.address = address
    }

    /// The issuer that a host without any other is: itself.
    package init(_ origin: HTTPSAddress) {
        text = origin.origin
        address = HTTPSAddress(host: origin.host, port: origin.port)
    }

    /// Where its metadata may be, in the order in which they are tried.
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
