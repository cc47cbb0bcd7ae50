import CredentialCore
import Cryptography
import Foundation
import Providers
import Testing

@Suite("Private keys")
struct PrivateKeyTests {
    @Test(
        "reads every file format that tools write",
        arguments: [
            ("rsa", "RS256"), ("rsa-pkcs1", "RS256"), ("ec", "ES256"), ("ec-sec1", "ES256"),
            ("ec-with-parameters", "ES256"),
        ])
    func forms(name: String, algorithm: String) throws {
        #expect(try TestKeys.privateKey(name).algorithm.rawValue == algorithm)
    }

    @Test(
        "names the kind of a key that cannot sign here",
        arguments: [
            ("rsa-encrypted", .encrypted), ("rsa-encrypted-pkcs1", .encrypted), ("rsa-public", .publicKey),
            ("ec-public", .publicKey), ("rsa-1024", .unsupportedSize(bits: 1_024)),
            ("rsa-2047", .unsupportedSize(bits: 2_047)), ("rsa-pss", .unsupportedKind("RSA-PSS")),
            ("ec-384", .unsupportedKind("EC")), ("ec-secp256k1", .unsupportedKind("EC")),
            ("ec-explicit", .unsupportedKind("EC")), ("ed25519", .unsupportedKind("ED25519")),
            ("certificate", .malformed),
        ] as [(String, SigningKeyError)])
    func refused(name: String, reason: SigningKeyError) throws {
        #expect(throws: reason) { try TestKeys.privateKey(name) }
    }

    @Test("reads a key beside a certificate, a comment and foreign line ends")
    func company() throws {
        let texts: [[UInt8]] = [
            try TestKeys.file("certificate") + TestKeys.file("ec"),
            try TestKeys.file("ec") + TestKeys.file("ec-public"),
            try Array("# the key of the app\n\n".utf8) + TestKeys.file("ec") + Array("# end\n".utf8),
            try TestKeys.file("ec").flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] },
        ]
        for text in texts { #expect(throws: Never.self) { try PrivateKey(pem: Secret(text)) } }
    }

    @Test("refuses a file with two keys, since the choice would be ambiguous")
    func several() throws {
        let keys = try TestKeys.file("ec") + TestKeys.file("rsa")
        #expect(throws: SigningKeyError.severalKeys) { try PrivateKey(pem: Secret(keys)) }
    }

    @Test(
        "refuses a file without a key",
        arguments: [
            "", "\n", "\0", "not a key\n", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\n%%%%\n-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\nMIGH\n",
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n",
        ])
    func noKeys(text: String) { #expect(throws: SigningKeyError.malformed) { try PrivateKey(pem: Secret(text.utf8)) } }

    @Test("names OpenSSH's own format, so that the person can convert it")
    func openSSH() {
        let text = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"
        #expect(throws: SigningKeyError.unsupportedKind("OPENSSH PRIVATE KEY")) {
            try PrivateKey(pem: Secret(text.utf8))
        }
    }

    /// Changes each byte of a key's base64 in turn: the key is either refused, or its signature verifies.
    @Test("refuses a damaged key unless its signatures still verify", arguments: ["ec", "ec-sec1"])
    func damaged(name: String) throws {
        let file = try TestKeys.file(name)
        let start = try #require(file.firstIndex(of: 0x0a)) + 1
        var refused = 0
        for index in start..<(start + 150) where file[index] != 0x0a {
            var damaged = file
            damaged[index] = damaged[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            do { _ = try PrivateKey(pem: Secret(damaged)) } catch { refused += 1 }
        }
        #expect(refused > 100)
    }

    @Test("refuses a key with another key's public half")
    func mismatched() throws {
        // Both keys in SEC 1 (RFC 5915, 3): the private number first, the public point last.
        for name in ["ec", "ec-other"] { try TestKeys.openssl("ec -in \(name).pem -outform DER -out \(name).der") }
        let one = try Data(contentsOf: TestKeys.directory.appending(path: "ec.der"))
        let other = try Data(contentsOf: TestKeys.directory.appending(path: "ec-other.der"))
        let mixed = (one.dropLast(64) + other.suffix(64)).base64EncodedString(options: .lineLength64Characters)
        let text = "-----BEGIN EC PRIVATE KEY-----\n\(mixed)\n-----END EC PRIVATE KEY-----\n"
        #expect(throws: SigningKeyError.malformed) { try PrivateKey(pem: Secret(text.utf8)) }
    }

    @Test("refuses an encrypted key with a wrong label without asking for a passphrase")
    func falseName() throws {
        let text = String(decoding: try TestKeys.file("rsa-encrypted"), as: UTF8.self)
            .replacing("ENCRYPTED PRIVATE", with: "PRIVATE")
        #expect(throws: SigningKeyError.malformed) { try PrivateKey(pem: Secret(text.utf8)) }
    }
}
