internal import CredentialCore

/// The proof key for a code exchange (RFC 7636): whoever else learns the code gets no token for it.
struct PKCE {
    /// 4.1; for the token endpoint alone.
    let verifier: Secret
    /// 4.2, by `S256`; for the page.
    let challenge: [UInt8]

    /// The text is random, with 43 to 128 characters.
    init(_ text: String) {
        var digest = SHA256()
        digest.update(text.utf8)
        verifier = Secret(Array(text.utf8))
        challenge = Base64URL.encode(digest.digest())
    }
}
