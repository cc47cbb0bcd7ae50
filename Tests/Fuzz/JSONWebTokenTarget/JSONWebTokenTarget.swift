import CredentialCore
import Cryptography
import FuzzSupport
import Providers

/// ④ ⑤ Reads any bytes as a signed token, as published keys, as the claims of an ID token, and as a private key file.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzJSONWebToken(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Input(start, count)
    let kind = input.takeByte() % 5
    let bytes = input.bytes
    switch kind {
    case 0: checkToken(bytes)
    case 1: checkKeys(bytes)
    case 2: checkClaims(bytes)
    case 3: checkText(bytes)
    default: checkPrivateKey(bytes)
    }
    return 0
}

/// Checks that the parts of an accepted token add up to the same text.
private func checkToken(_ bytes: [UInt8]) {
    guard let token = try? JSONWebSignature(parsing: bytes) else { return }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    require(parts.count == 3, "a token of other than three parts")
    require(Base64URL.encode(token.payload).elementsEqual(parts[1]), "two texts of one payload")
    require((try? token.verify(with: keys, by: LibcryptoVerifier())) == nil, "a signature of a key that nobody has")
}

private func checkKeys(_ bytes: [UInt8]) {
    guard let set = JSONWebKeySet(parsing: bytes) else { return }
    require(set.keys.count <= JSONWebKeySet.most, "more keys than anybody has")
    let verifier = LibcryptoVerifier()
    for key in set.keys.prefix(4) {
        let signature: [UInt8]
        switch key.numbers {
        case .rsa(let modulus, _):
            require((256...1_024).contains(modulus.count), "a key of another size")
            signature = [UInt8](repeating: 1, count: modulus.count)
        case .point(let curve, _, _): signature = [UInt8](repeating: 0, count: 2 * curve.size - 1) + [1]
        case .ed25519: signature = [UInt8](repeating: 0, count: 63) + [1]
        }
        for algorithm in SignatureAlgorithm.allCases where key.fits(algorithm) {
            require(
                verifier.verifies(signature, of: bytes, with: key.numbers, by: algorithm) != true,
                "anything is a signature")
        }
    }
}

/// Checks that the claims, taken as signed, are fit for display, storage and git.
private func checkClaims(_ bytes: [UInt8]) {
    let header = Base64URL.encode(#"{"alg":"ES256"}"#.utf8)
    let signature = Base64URL.encode([UInt8](repeating: 1, count: 64))
    let dot = [UInt8(ascii: ".")]
    let text = header + dot + Base64URL.encode(bytes) + dot + signature
    let found = try? IDToken(
        verifying: text, from: "https://id.test", for: "c", at: 1_800_000_000, by: Believer(), keys: { keys })
    guard let token = found else { return }
    require(!token.names.isEmpty, "an account without a name")
    for name in token.names {
        require((1...255).contains(name.utf8.count), "an empty or endless name")
        require(name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x3a }, "an odd name")
    }
    require(token.subject.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "an odd subject")
}

/// A verifier that accepts every signature.
private struct Believer: SignatureVerifier {
    func verifies(_: [UInt8], of _: [UInt8], with _: JSONWebKey.Numbers, by _: SignatureAlgorithm) -> Bool? { true }
    func digest(of _: Secret, by _: SignatureAlgorithm.Hash) -> [UInt8]? { nil }
}

private func checkText(_ bytes: [UInt8]) {
    require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "bytes that do not come back")
    if let decoded = Base64URL.decode(bytes) {
        require(Base64URL.encode(decoded) == bytes, "two texts of the same bytes")
    }
    if let value = JSONValue(parsing: bytes) {
        let written = value.serialized.reveal { Array($0) }
        require(JSONValue(parsing: written) == value, "JSON that reads differently when written")
        if let time = value.numericDate { require((0...253_402_300_799).contains(time), "a time beyond reason") }
    }
}

/// Checks that an accepted private key can sign.
private func checkPrivateKey(_ bytes: [UInt8]) {
    guard let key = try? PrivateKey(pem: Secret(bytes)) else { return }
    let claims = AssertionClaims.registered(issuer: "c", issuedAt: 0, expiresAt: 60)
    guard let assertion = key.assertion(of: claims) else { fatalError("a key that cannot sign") }
    let text = assertion.reveal { Array($0) }
    require((try? JSONWebSignature(parsing: text)) != nil, "an assertion that is no token")
}

/// The public key of RFC 7515, A.3.
private let keys: JSONWebKeySet = {
    let text =
        #"{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
        + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#
    guard let set = JSONWebKeySet(parsing: Array(text.utf8)) else { fatalError("no key to verify with") }
    return set
}()
