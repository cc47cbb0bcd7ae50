import CredentialCore
import Helper
import Providers
import Testing

@Suite("Private keys: words")
struct SigningKeyWordsTests {
    @Test(
        "names the file, what is wrong with it, and what helps",
        arguments: [
            (.absent, "there is no private key at /k.pem", nil),
            (.unreadable, "the private key /k.pem cannot be read", "  ls -l /k.pem"),
            (.notAFile, "the private key /k.pem is not a file, or too large for a key", nil),
            (
                .relativePath, "the private key's path /k.pem is relative",
                "give an absolute path, or one that begins with ~/"
            ),
            (
                .noCredentialsDirectory, "there is no systemd credential /k.pem: this process has none",
                "give an absolute path, or add LoadCredential= to the service"
            ), (.symbolicLink, "the private key /k.pem is a symbolic link", "give the path of the file itself"),
            (.foreignOwner, "the private key /k.pem belongs to another user", "  sudo chown \"$(id -u)\" /k.pem"),
            (.accessibleToOthers, "other users can read or change the private key /k.pem", "  chmod 600 /k.pem"),
            (
                .folderOfOthers("/keys"), "other users can replace the private key in the folder /keys",
                "  chmod go-w /keys"
            ),
            (
                .encrypted, "the private key /k.pem is encrypted; gitspace needs a key without a passphrase",
                "  umask 077 && openssl pkey -in /k.pem -out KEY.pem"
            ), (.publicKey, "/k.pem is a public key; the private key is needed", nil),
            (.severalKeys, "/k.pem contains more than one private key", nil),
            (.malformed, "/k.pem is not a private key in PEM format, or is damaged", nil),
            (
                .unsupportedKind("ED25519"), "the private key /k.pem is of a kind that cannot be used (ED25519)",
                "use an RSA key of at least 2048 bits, or one on the curve P-256"
            ), (.unsupportedSize(bits: 1_024), "the private key /k.pem has 1024 bits; it needs 2048 to 8192", nil),
            (.signing, "could not sign with the private key /k.pem", nil),
        ] as [(SigningKeyError, String, String?)])
    func words(error: SigningKeyError, text: String, hint: String?) {
        let words = error.words("/k.pem")
        #expect(words.text.english == text && words.hints.last?.english == hint)
    }
}
