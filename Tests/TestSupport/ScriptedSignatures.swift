package import CredentialCore
package import Providers

/// Signatures without cryptography: a signature is valid if each of its bytes is 1.
package struct ScriptedSignatures: SignatureVerifier, AssertionSigner {
    package let algorithm: SignatureAlgorithm

    package init(algorithm: SignatureAlgorithm = .es256) { self.algorithm = algorithm }

    package func verifies(
        _ signature: [UInt8], of message: [UInt8], with key: JSONWebKey.Numbers, by algorithm: SignatureAlgorithm
    ) -> Bool? { signature.allSatisfy { $0 == 1 } }

    package func digest(of secret: Secret, by hash: SignatureAlgorithm.Hash) -> [UInt8]? { nil }
    package func sign(_ message: [UInt8]) -> [UInt8]? { Array(repeating: 1, count: 64) }
}
