import CredentialCore
import Cryptography
import Foundation
import Providers
import Testing

@Suite("Interoperation with openssl")
struct InteroperationTests {
    private let message = Array("eyJhbGciOiJSUzI1NiJ9.e30".utf8)

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let name = "\(name)-\(UUID().uuidString)"
        try Data(bytes).write(to: TestKeys.directory.appending(path: name))
        return name
    }

    /// Signs the message by openssl; without options, as Ed25519 does.
    private func signed(by name: String, _ options: String) throws -> [UInt8] {
        let file = try write(message, "message")
        try TestKeys.openssl(
            options.isEmpty
                ? "pkeyutl -sign -rawin -inkey \(name).pem -in \(file) -out \(file).sig"
                : "dgst \(options) -sign \(name).pem -out \(file).sig \(file)")
        return try Array(Data(contentsOf: TestKeys.directory.appending(path: "\(file).sig")))
    }

    @Test("signs RS256 exactly as openssl does, since the signature is unique (RFC 8017, 8.2)")
    func rsa() throws {
        let theirs = try signed(by: "rsa", "-sha256")
        #expect(try TestKeys.privateKey("rsa").sign(message) == theirs)
        #expect(try TestKeys.privateKey("rsa-pkcs1").sign(message) == theirs)
    }

    @Test("signs ES256 so that openssl verifies it, whatever the lengths of R and S")
    func ourECDSA() throws {
        let key = try TestKeys.privateKey("ec")
        for _ in 1...40 {
            let raw = try #require(key.sign(message))
            try #require(raw.count == 64)
            let signature = try write(der(raw), "signature")
            let file = try write(message, "message")
            #expect(
                try TestKeys.openssl("dgst -sha256 -verify ec-public.pem -signature \(signature) \(file)")
                    == "Verified OK\n")
        }
    }

    @Test("verifies ES256 signatures of openssl, and no others")
    func theirECDSA() throws {
        let key = try Forger.set([TestKeys.published("ec", [:])]).keys[0].numbers
        for _ in 1...40 {
            let der = try signed(by: "ec", "-sha256")
            let signature = raw(der)
            let verifier = LibcryptoVerifier()
            #expect(verifier.verifies(signature, of: message, with: key, by: .es256) == true)
            #expect(verifier.verifies(signature, of: message + [0], with: key, by: .es256) == false)
            #expect(verifier.verifies(der, of: message, with: key, by: .es256) == false)
        }
    }

    @Test(
        "verifies a signature of openssl only under its own algorithm",
        arguments: [
            (.rs384, "rsa", "-sha384"), (.rs512, "rsa", "-sha512"),
            (.ps256, "rsa", "-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
            (.ps384, "rsa", "-sha384 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
            (.ps512, "rsa", "-sha512 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
            (.es384, "ec-384", "-sha384"), (.es512, "ec-521", "-sha512"), (.edDSA, "ed25519", ""),
        ] as [(SignatureAlgorithm, String, String)])
    func others(algorithm: SignatureAlgorithm, name: String, options: String) throws {
        let key = try #require(try Forger.set([TestKeys.published(name, [:])]).keys.first)
        var signature = try signed(by: name, options)
        if case .ecdsa(let curve) = algorithm.scheme { signature = raw(signature, curve.size) }
        let verifier = LibcryptoVerifier()
        for other in SignatureAlgorithm.allCases where key.fits(other) {
            #expect(
                verifier.verifies(signature, of: message, with: key.numbers, by: other) == (other == algorithm),
                "\(other)")
        }
        #expect(verifier.verifies(signature, of: message + [0], with: key.numbers, by: algorithm) == false)
    }

    /// DER written by hand, independent of the code under test (X.690, 8.3): no leading zeros, except one before a
    /// first bit of 1.
    private func der(_ raw: [UInt8]) -> [UInt8] {
        func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var bytes = Array(bytes.drop { $0 == 0 })
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        let numbers = number(raw[..<32]) + number(raw[32...])
        return [0x30, UInt8(numbers.count)] + numbers
    }

    private func raw(_ der: [UInt8], _ size: Int = 32) -> [UInt8] {
        // The length of larger numbers takes one more byte (X.690, 8.1.3.5).
        let start = der[1] < 0x80 ? 2 : 3
        let r = der[(start + 2)..<(start + 2 + Int(der[start + 1]))]
        let s = der[(r.endIndex + 2)...]
        return [r, s].flatMap { number -> [UInt8] in
            let bytes = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: size - bytes.count) + bytes
        }
    }
}
