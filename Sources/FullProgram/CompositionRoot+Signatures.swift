internal import CredentialCore
internal import Cryptography
internal import Helper
internal import OAuth
internal import System

extension CompositionRoot {
    /// What libcrypto signs and checks, and where keys are.
    static var signatures: Signatures {
        Signatures(verifier: LibcryptoVerifier()) { name throws(SigningKeyError) in
            let file: Secret
            do throws(PrivateKeyFile.Failure) {
                file = try PrivateKeyFile.contents(of: name)
            } catch {
                throw SigningKeyError(error)
            }
            do throws(PrivateKeyError) {
                return try PrivateKey(pem: file)
            } catch {
                throw SigningKeyError(error)
            }
        }
    }
}

extension SigningKeyError {
    fileprivate init(_ failure: PrivateKeyFile.Failure) {
        self =
            switch failure {
            case .file(.absent): .absent
            case .file: .unreadable
            case .relativePath: .relativePath
            case .noCredentialsDirectory: .noCredentialsDirectory
            case .symbolicLink: .symbolicLink
            case .foreignOwner: .foreignOwner
            case .accessibleToOthers: .accessibleToOthers
            }
    }

    fileprivate init(_ error: PrivateKeyError) {
        self =
            switch error {
            case .malformed, .publicKey, .inconsistent: .malformed
            case .encrypted: .encrypted
            case .severalKeys: .severalKeys
            case .unsupportedKind(let kind): .unsupported(DisplayText(kind.utf8))
            case .unsupportedCurve(let curve): .unsupported(DisplayText(curve.utf8))
            case .unsupportedSize(let bits): .unsupported(DisplayText(own: "\(bits) bits"))
            }
    }
}
