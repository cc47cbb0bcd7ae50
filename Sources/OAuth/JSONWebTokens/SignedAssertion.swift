package import CredentialCore

/// Claims with our signature, in the compact form of RFC 7515, section 3.1.
package struct SignedAssertion {
    /// The assertion: whoever has it is taken for us until it expires.
    package let text: Secret

    /// Signs claims.
    ///
    /// The result is nil if the signer has failed.
    ///
    /// - Parameters:
    ///   - claims: what is said.
    ///   - keyID: by what name the server knows the key (`kid`), if it knows more than one.
    ///   - signer: has the private key.
    package init?(_ claims: AssertionClaims, keyID: String? = nil, by signer: any AssertionSigner) {
        var header: [String: JSONValue] = [
            "alg": .string(Array(signer.algorithm.utf8)), "typ": .string(Array("JWT".utf8)),
        ]
        header["kid"] = keyID.map { .string(Array($0.utf8)) }
        let dot = UInt8(ascii: ".")
        var message = Base64URL.encode(JSONValue.object(header).serialized)
        message.append(dot)
        message += Base64URL.encode(claims.json.serialized)
        guard let signature = signer.sign(message) else { return nil }
        message.append(dot)
        message += Base64URL.encode(signature)
        text = Secret(message)
        message.wipe()
    }
}
