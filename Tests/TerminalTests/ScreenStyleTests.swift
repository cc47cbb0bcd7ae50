import Language
import Testing

@testable import CredentialCore
@testable import Helper
@testable import UserInterface

@Suite("The style of the screen")
struct ScreenStyleTests {
    private func style(_ environment: [String: String], _ keys: [String: String] = [:]) -> ScreenStyle {
        let entries = keys.map { name, value in
            let parts = name.split(separator: ".").map(String.init)
            return ConfigurationEntry(section: parts[0], key: parts[1].lowercased(), value: value)
        }
        let configuration = Configuration(entries, for: HostName(name: "github.com"))
        return ScreenSettings(configuration) { environment[$0] }.style
    }

    @Test(
        "ranks NO_COLOR before variables that force colours, git's configuration and the terminal",
        arguments: [
            (["TERM": "xterm"], "", true), (["TERM": "dumb"], "", false), ([:], "", false), (["TERM": ""], "", false),
            (["TERM": "xterm", "NO_COLOR": "1"], "", false), (["TERM": "xterm", "NO_COLOR": ""], "", true),
            (["TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1"], "always", false),
            (["TERM": "xterm", "FORCE_COLOR": "1"], "never", true),
            (["TERM": "dumb", "CLICOLOR_FORCE": "1"], "", true), (["TERM": "dumb", "FORCE_COLOR": "0"], "", false),
            (["TERM": "xterm", "FORCE_COLOR": "0"], "never", false), (["TERM": "xterm"], "never", false),
            (["TERM": "xterm"], "false", false), (["TERM": "xterm"], "auto", true), (["TERM": "dumb"], "always", false),
        ] as [([String: String], String, Bool)])
    func colour(environment: [String: String], colourUI: String, emphasises: Bool) {
        let keys = colourUI.isEmpty ? [:] : ["color.ui": colourUI]
        #expect(style(environment, keys).emphasises == emphasises)
    }

    @Test("rewrites a line only if the terminal can and no screen reader is in use")
    func rewriting() {
        #expect(style(["TERM": "xterm"]).rewrites)
        #expect(!style([:]).rewrites && !style(["TERM": "dumb"]).rewrites)
        let accessible = style(["TERM": "xterm"], ["credential.gitspaceAccessible": "true"])
        #expect(accessible.isAccessible && !accessible.rewrites)
        #expect(!style(["TERM": "xterm"], ["credential.gitspaceAccessible": "0"]).isAccessible)
    }

    @Test(
        "takes the character set from the variables in the order of locale(7)",
        arguments: [
            ([:], false), (["LANG": "C"], false), (["LANG": "POSIX"], false), (["LANG": "en_GB.UTF-8"], true),
            (["LANG": "ko_KR.utf8"], true), (["LANG": "ko_KR.eucKR"], false),
            (["LANG": "de_DE.ISO-8859-15@euro"], false),
            (["LANG": "sr_RS.UTF-8@latin"], true), (["LC_ALL": "C", "LANG": "en_GB.UTF-8"], false),
            (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], true), (["LC_MESSAGES": "ko_KR.UTF-8"], false),
            // A locale that is not generated on this machine.
            (["LANG": "xx_XX"], false),
        ] as [([String: String], Bool)])
    func charset(environment: [String: String], isUTF8: Bool) { #expect(Charset.isUTF8 { environment[$0] } == isUTF8) }

    @Test("shows a QR code only with black, white, half blocks and a person who sees")
    func pictures() {
        let usual = ["TERM": "xterm", "LANG": "C.UTF-8"]
        #expect(style(usual).showsPictures)
        for (name, value) in [("NO_COLOR", "1"), ("LC_ALL", "C"), ("TERM", "dumb")] {
            #expect(!style(usual.merging([name: value]) { $1 }).showsPictures, "\(name)")
        }
        #expect(!style(usual, ["credential.gitspaceAccessible": "true"]).showsPictures)
    }
}

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
