/// Lines for git or a keyring, some of them with a secret.
///
/// Whatever the source of a value, a line end in it would inject another line, such as `host=` or `quit=`.
struct SecretLines: ~Copyable {
    private var text = Secret.Builder()
    private var isSound = true

    /// What is between the values, line ends included.
    mutating func append(words: String) { text.append(words.utf8) }

    mutating func append(value: some Collection<UInt8>) {
        if value.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }) { isSound = false }
        text.append(value)
    }

    mutating func append(value: Secret) { value.reveal { append(value: $0) } }

    /// Nil if one value would be read as two lines.
    consuming func finish() -> Secret? {
        // Not `guard isSound`: Swift 6.0 fails an assertion of its own where one way out consumes a part, and the other none.
        let isSound = isSound
        let secret = text.finish()
        return isSound ? secret : nil
    }
}
