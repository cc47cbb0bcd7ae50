/// The name by which git and the keyring know whom an OpenID provider describes: OpenID Connect Core 1.0, section 5.1.
package enum OpenIDAccount {
    /// Every name that the provider gives for the account, first the one to store it under: the one that the person
    /// knows (`preferred_username`), else the one that never changes (`sub`).
    ///
    /// - Parameters:
    ///   - claims: of an ID token, or of a userinfo response.
    ///   - subject: the claim `sub`.
    /// - Returns: none if neither of these two can be the name of an account.
    package static func names(in claims: JSONValue, subject: [UInt8]) -> [String] {
        let main = [claims[IDTokenError.Claim.preferredUsername.rawValue]?.string, subject].compactMap(\.self).filter(
            isPlain)
        guard !main.isEmpty else { return [] }
        let others = ["nickname", "email"].compactMap { claims[$0]?.string }.filter(isPlain)
        return (main + others).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Visible ASCII without a colon, which no user name of HTTP has (RFC 7617, 2).
    private static func isPlain(_ name: [UInt8]) -> Bool {
        (1...255).contains(name.count)
            && name.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ":") }
    }
}
