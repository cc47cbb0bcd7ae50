import CredentialCore
import FuzzSupport

/// ③ ⑥ Reads any bytes as the secret of an item, and writes a credential with any bytes.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzSecretText(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Input(start, count)
    if let credential = SecretText.parse(Secret(input.bytes), username: [0x61]) {
        checkRoundTrip(credential, "of a parsed text")
        _ = credential.condition(at: .max, margin: .max)
        _ = credential.condition(at: 0, margin: 300, asToken: true)
        if let rest = credential.withoutAccessToken(at: 1_000_000_000) {
            checkRoundTrip(rest, "of what a refusal left")
        }
    }
    let parts = input.parts
    func part(_ index: Int) -> [UInt8]? { index < parts.count ? parts[index] : nil }
    let grant = part(2).flatMap { String(validating: $0, as: UTF8.self) }.map {
        StoredCredential.Grant(
            clientID: $0, scope: part(3).flatMap { String(validating: $0, as: UTF8.self) },
            refreshTokenExpiryUTC: Int64(input.bytes.count) + 1, supersededDigest: part(4),
            since: Int64(input.bytes.count) + 1, refusedAt: 1)
    }
    let credential = StoredCredential(
        username: [0x61], password: Secret(part(0) ?? []), passwordExpiryUTC: Int64(input.bytes.count) + 1,
        oauthRefreshToken: part(1).flatMap { $0.isEmpty ? nil : Secret($0) }, grant: grant)
    checkRoundTrip(credential, "of a credential made of parts")
    return 0
}

/// Checks that a credential is equal when written and read again, unless writing it is refused.
private func checkRoundTrip(_ credential: StoredCredential, _ what: String) {
    guard let text = SecretText.encode(credential) else { return }
    guard let again = SecretText.parse(text, username: credential.username) else {
        fatalError("what was written cannot be read: the text \(what)")
    }
    require(
        again.password == credential.password && again.oauthRefreshToken == credential.oauthRefreshToken
            && again.passwordExpiryUTC == credential.passwordExpiryUTC && again.grant == credential.grant,
        "what was written reads differently: the text \(what)")
    require(again.password.reveal { !$0.contains(0x0a) && !$0.contains(0x0d) && !$0.contains(0) }, "two lines")
}
