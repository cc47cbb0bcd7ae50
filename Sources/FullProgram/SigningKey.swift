internal import CredentialCore
internal import Cryptography
internal import Helper
internal import Providers
internal import System

/// This machine's private key for signing, from its file.
enum SigningKey {
    /// Reads a key.
    ///
    /// - Parameter name: an absolute path, or the name of a systemd credential.
    /// - Returns: what signs with it.
    /// - Throws: why it cannot be used.
    static func read(_ name: String) throws(SigningKeyError) -> any AssertionSigner {
        let contents: Secret
        do throws(PrivateKeyFile.Failure) {
            contents = try PrivateKeyFile.contents(of: name)
        } catch {
            throw SigningKeyError(error)
        }
        do throws(PrivateKeyError) {
            return try PrivateKey(pem: contents)
        } catch {
            throw SigningKeyError(error)
        }
    }
}

extension SigningKeyError {
    fileprivate init(_ failure: PrivateKeyFile.Failure) {
        self =
            switch failure {
            case .file(.absent): .absent
            case .file(.notRegular), .file(.tooLarge): .notAFile
            case .file(.system): .unreadable
            case .relativePath: .relativePath
            case .noCredentialsDirectory: .noCredentialsDirectory
            case .symbolicLink: .symbolicLink
            case .foreignOwner: .foreignOwner
            case .accessibleToOthers: .accessibleToOthers
            case .folderOfOthers(let path): .folderOfOthers(DisplayText(path.utf8))
            }
    }

    fileprivate init(_ error: PrivateKeyError) {
        self =
            switch error {
            case .malformed, .inconsistent: .malformed
            case .encrypted: .encrypted
            case .publicKey: .publicKey
            case .severalKeys: .severalKeys
            case .unsupportedKind(let kind): .unsupportedKind(DisplayText(kind.utf8))
            case .unsupportedCurve: .unsupportedKind("EC")
            case .unsupportedSize(let bits): .unsupportedSize(bits: bits)
            }
    }
}
