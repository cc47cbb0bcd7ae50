internal import CredentialCore
internal import Providers

/// Signatures without cryptography: one is right if each of its bytes is 1.
package struct ScriptedSignatures: SignatureVerifier, AssertionSigner {
    package let algorithm: String

    package init(algorithm: String = "ES256") { self.algorithm = algorithm }

    package func verifiesRS256(
        _ signature: [UInt8], of message: [UInt8], modulus: [UInt8], exponent: [UInt8]
    ) -> Bool? { signature.allSatisfy { $0 == 1 } }

    package func verifiesES256(_ signature: [UInt8], of message: [UInt8], x: [UInt8], y: [UInt8]) -> Bool? {
        signature.allSatisfy { $0 == 1 }
    }

    package func sign(_ message: [UInt8]) -> [UInt8]? { Array(repeating: 1, count: 64) }
}
