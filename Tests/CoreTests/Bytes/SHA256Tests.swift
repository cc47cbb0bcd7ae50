import CredentialCore
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    /// Returns the digest of `message` in one update.
    private func digest(_ message: some Sequence<UInt8>) -> String {
        var digest = SHA256()
        digest.update(message)
        return String(decoding: digest.finish(), as: UTF8.self)
    }

    @Test(
        "returns the digests of FIPS 180-4's example messages",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ])
    func examples(message: String, expected: String) { #expect(digest(message.utf8) == expected) }

    @Test(
        "pads correctly around the end of a block",
        arguments: [
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
            (1_000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func padding(count: Int, expected: String) {
        #expect(digest(repeatElement(UInt8(ascii: "a"), count: count)) == expected)
    }

    @Test("accepts a message in pieces")
    func pieces() {
        var pieces = SHA256()
        pieces.update("a".utf8)
        pieces.update("".utf8)
        pieces.update("bc".utf8)
        #expect(String(decoding: pieces.finish(), as: UTF8.self) == digest("abc".utf8))
    }

    @Test("distinguishes two lists of fields, wherever they are divided")
    func fields() {
        func digest(_ fields: String...) -> [UInt8] {
            var digest = SHA256()
            for field in fields { digest.update(field: field.utf8) }
            return digest.finish()
        }
        let all = [digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", ""), digest("", "abc")]
        #expect(Set(all).count == all.count)
    }
}
