/// Which certificate the stand-in shows: the good one, or one that a client must refuse.
package enum ServerCertificate: String, CaseIterable, Sendable {
    /// Signed by the stand-in's authority, for all its names.
    case valid
    /// Signed by the stand-in's authority, for another host.
    case otherName
    /// Signed by the stand-in's authority, for all its names, and over since yesterday.
    case expired
    /// Signed by nobody but itself.
    case selfSigned

    /// `subjectAltName` of the certificate, in openssl's notation.
    var subjectAlternativeNames: String {
        self == .otherName ? "DNS:somewhere-else.test" : Self.names
    }

    /// Every name under which the stand-in can be reached, directly or through its proxy.
    private static let names = """
        DNS:localhost,IP:127.0.0.1,DNS:github.com,DNS:api.github.com,DNS:gist.github.com,\
        DNS:*.ghe.com,DNS:api.octo.ghe.com,DNS:ghe.test,DNS:gitlab.com,DNS:gitlab.test,DNS:bitbucket.org,\
        DNS:codeberg.org,DNS:gitea.test,DNS:*.soak.test
        """
}
