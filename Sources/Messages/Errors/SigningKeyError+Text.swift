internal import CredentialCore
internal import Helper

extension SigningKeyError {
    /// Why a private key cannot be used.
    func words(_ place: DisplayText) -> ErrorText {
        switch self {
        case .absent: ErrorText(Message("there is no private key at %1$s", place))
        case .unreadable:
            ErrorText(Message("the private key %1$s cannot be read", place), [.command("ls -l \(word: place)")])
        case .notAFile: ErrorText(Message("the private key %1$s is not a file, or too large for a key", place))
        case .relativePath:
            ErrorText(
                Message("the private key's path %1$s is relative", place),
                [Message("give an absolute path, or one that begins with ~/")])
        case .noCredentialsDirectory:
            ErrorText(
                Message("there is no systemd credential %1$s: this process has none", place),
                [Message("give an absolute path, or add LoadCredential= to the service")])
        case .symbolicLink:
            ErrorText(
                Message("the private key %1$s is a symbolic link", place), [Message("give the path of the file itself")]
            )
        case .foreignOwner:
            ErrorText(
                Message("the private key %1$s belongs to another user", place),
                [Message("take it over:"), .command("sudo chown \"$(id -u)\" \(word: place)")])
        case .accessibleToOthers:
            ErrorText(
                Message("other users can read or change the private key %1$s", place),
                [Message("keep it to yourself:"), .command("chmod 600 \(word: place)")])
        case .folderOfOthers(let folder):
            ErrorText(
                Message("other users can replace the private key in the folder %1$s", folder),
                [
                    Message("move it to a folder of your own, or keep this one to yourself:"),
                    .command("chmod go-w \(word: folder)"),
                ])
        case .encrypted:
            ErrorText(
                Message("the private key %1$s has a passphrase, which nobody is there to enter", place),
                [
                    Message("write it without one:"),
                    .command("umask 077 && openssl pkey -in \(word: place) -out KEY.pem"),
                ]
            )
        case .publicKey: ErrorText(Message("%1$s is a public key; the private key is needed", place))
        case .severalKeys: ErrorText(Message("%1$s contains more than one private key", place))
        case .malformed: ErrorText(Message("%1$s is not a private key in PEM format, or is damaged", place))
        case .unsupportedKind(let kind):
            ErrorText(
                Message("the private key %1$s is of a kind that cannot be used (%2$s)", place, kind),
                [Message("use an RSA key of at least 2048 bits, or one on the curve P-256")])
        case .unsupportedSize(let bits):
            ErrorText(Message("the private key %1$s has %2$s bits; it needs 2048 to 8192", place, bits))
        case .signing: ErrorText(Message("could not sign with the private key %1$s", place))
        }
    }
}
