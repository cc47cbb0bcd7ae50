/// The algorithms by which tokens are signed here (RFC 7518, 3.1), by their `alg`.
///
/// There are no others: `none` proves nothing, and an HMAC (`HS256`) is made with the same key that checks it, so that
/// everybody who can read the published keys could make one (RFC 8725, 2.1).
package enum SignatureAlgorithm: String {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on the curve P-256 with SHA-256.
    case es256 = "ES256"

    /// The algorithm of that name; letter case counts (RFC 7515, 4.1.1).
    init?(_ name: [UInt8]) {
        guard let algorithm = [Self.rs256, .es256].first(where: { name.elementsEqual($0.rawValue.utf8) }) else {
            return nil
        }
        self = algorithm
    }
}
