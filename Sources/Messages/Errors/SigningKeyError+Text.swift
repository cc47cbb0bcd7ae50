internal import CredentialCore
package import Helper

extension SigningKeyError {
    /// Why a private key cannot be used.
    func words(_ name: DisplayText) -> ErrorText {
        switch self {
        case .absent: ErrorText(Message("there is no private key at %1$s", name))
        case .unreadable: ErrorText(Message("the private key %1$s cannot be read", name))
        case .relativePath:
            ErrorText(
                Message("the path of the private key must be absolute or begin with ~/: %1$s", name))
        case .noCredentialsDirectory:
            ErrorText(
                Message("the private key %1$s is the name of a systemd credential, and there are none here", name),
                [Message("for a file, give its absolute path")])
        case .symbolicLink: ErrorText(Message("the private key %1$s is a symbolic link; give the path of the file", name))
        case .foreignOwner: ErrorText(Message("the private key %1$s belongs to another user", name))
        case .accessibleToOthers:
            ErrorText(
                Message("others can read or change the private key %1$s, so it is not used", name),
                [.command("chmod 600 \(word: name)")])
        case .malformed: ErrorText(Message("there is no usable private key (PEM) in %1$s", name))
        case .encrypted:
            ErrorText(Message("the private key %1$s has a passphrase, and nobody is there to type it", name))
        case .severalKeys: ErrorText(Message("there is more than one private key in %1$s", name))
        case .unsupported(let kind):
            ErrorText(
                Message("the private key %1$s cannot be used: %2$s", name, kind),
                [Message("use an RSA key of at least 2048 bits, or one on the curve P-256")])
        }
    }
}
