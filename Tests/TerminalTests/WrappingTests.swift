import CredentialCore
import Helper
import Language
import Testing

@Suite("Wrapped texts")
struct WrappingTests {
    @Test("breaks a line between words, and indents the rest below the first words")
    func words() {
        let text = Message("the certificate of %1$s is not trusted", "ghe.example" as DisplayText)
        #expect(
            Language.lines(text, columns: 30, prefix: "gitspace: error: ", hanging: 6) == [
                "gitspace: error: the", "      certificate of", "      ghe.example is not", "      trusted",
            ])
        #expect(Language.lines(text, columns: 41) == ["the certificate of ghe.example is not", "trusted"])
        #expect(Language.lines(text, columns: 45) == ["the certificate of ghe.example is not trusted"])
        #expect(Language.lines(text, columns: nil, prefix: "hint: ").count == 1)
    }

    @Test(
        "keeps a mark, number or option alone on the left",
        arguments: [
            ("[ OK ] alpha beta gamma", ["[ OK ] alpha", "       beta", "       gamma"]),
            ("       alpha beta gamma", ["       alpha", "       beta", "       gamma"]),
            ("  alpha beta gamma", ["  alpha beta", "  gamma"]),
            ("1. alpha beta gamma", ["1. alpha", "   beta", "   gamma"]),
            ("  1  alpha beta gamma", ["  1  alpha", "     beta", "     gamma"]),
            ("-a  alpha beta gamma", ["-a  alpha", "    beta", "    gamma"]),
            // A gap further to the right is not a column.
            ("alpha beta  gamma delta", ["alpha beta", "gamma delta"]),
        ])
    func marks(text: String, lines: [String]) {
        #expect(Wrapping.lines(text, columns: 12).map { $0.replacing(#/ +$/#, with: "") } == lines)
    }

    @Test("keeps a command or address whole, on a line of its own if it does not fit")
    func whole() {
        let command = Verbatim("git credential-gitspace logout github.com")
        #expect(
            Language.lines(.indented(Message("To sign out: %1$s", command)), columns: 50) == [
                "  To sign out:", "  git credential-gitspace logout github.com",
            ])
        #expect(
            Language.lines(.command("git credential-gitspace login github.com"), columns: 20, prefix: "hint: ")
                == ["hint:   git credential-gitspace login github.com"])
        #expect(Language.lines(Message(verbatim: "\thelper = /a b/c d"), columns: 5) == ["\thelper = /a b/c d"])
    }

    @Test("counts Hangul as two columns, and keeps the blank between a question and its answer")
    func wide() {
        #expect(Wrapping.lines("가나다 라마바 사아자", columns: 13) == ["가나다 라마바", "사아자"])
        #expect(Wrapping.lines("가나다 라마바 사아자", columns: 12) == ["가나다", "라마바", "사아자"])
        #expect(Wrapping.lines("Use that for git? [Y/n] ", columns: 18) == ["Use that for git?", "[Y/n] "])
        #expect(Wrapping.lines("Use it? [Y/n] ", columns: 13) == ["Use it? [Y/n] "])
    }
}
