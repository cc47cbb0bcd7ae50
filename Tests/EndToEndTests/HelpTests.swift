import Staging
import Testing

@Suite("Help and usage errors")
struct HelpTests {
    private static let korean = ["LANGUAGE": "ko"]
    private static let verbs = [
        "setup", "login", "logout", "refresh", "status", "switch", "unlock", "check", "doctor", "configure",
        "unconfigure",
    ]

    private let session: Session

    init() async throws { session = try await Session(.noBus) }

    private func run(
        _ arguments: [String], in environment: [String: String] = korean
    ) async throws -> RunningProgram.End {
        try await session.run([BuiltFiles.helper] + arguments, environment: environment)
    }

    @Test("prints the help of every verb in Korean, in 80 columns")
    func help() async throws {
        for verb in Self.verbs {
            let end = try await run([verb, "-h"])
            #expect(end.status == 0 && end.errors.isEmpty && end.output.hasPrefix("개요: "), "\(end.output)")
            #expect(end.output.contains("\n사용법: git-credential-gitspace \(verb)"), "\(end.output)")
            for line in end.output.split(separator: "\n") where !line.hasPrefix("사용법: ") {
                #expect(line.columns <= 80, "\(line)")
                // A line of only names and options was cut from one with words.
                let words = line.split(separator: " ").filter { $0.allSatisfy { $0.isLowercase && $0.isASCII } }
                #expect(words.count < 4, "\(line)")
            }
        }
        let all = try await run(["--help"])
        #expect(all.output.contains("\n명령:\n  setup                   git을 설정하고 로그인합니다."), "\(all.output)")
        #expect(all.output.hasSuffix("\n  자세한 도움말: 'git-credential-gitspace help <subcommand>'\n"))
        #expect(all.output.contains("  -h, --help              도움말을 보여 줍니다.\n"))
    }

    /// The ways to ask for help, and usage errors.
    private static let commands: [String] =
        (verbs + ["share", "share ssh", "share list", "share stop"]).map { "\($0) --help" } + [
            "--help", "share list -h", "help share list", "login --frce", "switch a b c d", "logout --force",
        ]

    @Test("prints what the list of help texts and usage errors has, with its exit status")
    func words() async throws {
        let script = #"for words; do printf '%s\n' "$words"; "$0" $words 2>&1; printf '(%s)\n\n' $?; done"#
        let end = try await session.run(["sh", "-c", script, BuiltFiles.helper] + Self.commands)
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
        try WordList.compare(end.output, with: "help-words")
    }

    @Test(
        "prints a usage error in the person's language, then the usage, and exits with 64",
        arguments: [
            (["login", "--frce"], "'--frce'라는 옵션은 없습니다. '--force'를 찾으셨습니까?"),
            (["switch", "a", "b", "c", "d"], "필요 없는 인수가 2개 있습니다: 'c', 'd'"),
            (["logout", "--force"], "'--force'는 '--revoke'와 함께만 쓸 수 있습니다"),
            (["switch", "--unset", "a", "b"], "'--unset'에는 계정을 적지 않습니다"),
        ])
    func usage(arguments: [String], error: String) async throws {
        let end = try await run(arguments)
        #expect(end.status == 64 && end.output.isEmpty)
        let lines = end.errors.split(separator: "\n")
        #expect(lines.first == "gitspace: error: \(error)"[...], "\(end.errors)")
        #expect(lines.contains { $0.hasPrefix("사용법: git-credential-gitspace \(arguments[0])") }, "\(end.errors)")
        #expect(lines.last == "  자세한 내용: 'git-credential-gitspace \(arguments[0]) --help'", "\(end.errors)")
    }

    @Test("prints the typed word escaped, without control characters or placeholders")
    func hostile() async throws {
        let end = try await run(["login", "--\u{1b}[2J'%1$s"])
        #expect(end.status == 64 && !end.errors.contains("\u{1b}") && end.errors.contains("[2J'%1$s"), "\(end.errors)")
    }

    @Test("refuses an account together with --all, suggests a verb for a mistyped one, and prints the version")
    func commands() async throws {
        let both = try await run(["logout", "--all", "--username", "zoe"], in: [:])
        #expect(both.status == 64 && both.errors.contains("'--all' cannot be used together with an account\n"))
        let terminal = try PseudoTerminal()
        let mistyped = try await session.start(
            ["sh", "-c", "\"$0\" stauts </dev/tty", BuiltFiles.helper], on: terminal, keepsErrors: true
        ).ended()
        #expect(mistyped.status == 64 && mistyped.errors.hasSuffix("hint:   git credential-gitspace status\n"))
        let version = try await run(["--version"]).output
        for word in ["-v", "version"] { #expect(try await run([word]).output == version) }
    }

    @Test("prints the usage without an operation, and no secret after an unknown one")
    func operations() async throws {
        let fixture = try await EndToEndFixture(host: "github.com", beside: session)
        try await fixture.signedIn("monalisa")
        let usage = try await run([], in: [:])
        #expect(usage.status == 64 && usage.output.isEmpty && usage.errors.contains("USAGE: "), "\(usage.errors)")
        let long = String(repeating: "a", count: 100_000)
        for words in [["GET"], [""], ["get", "extra"], ["-x", "frobnicate"], [long]] {
            let end = try await fixture.session.run(
                [BuiltFiles.helper] + words, input: "protocol=https\nhost=github.com\n\n")
            #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(words.joined().prefix(20))")
        }
        // git's operation comes last and is no option, and git writes a request.
        for (words, redirection) in [("setp --yes", ""), ("setp", "</dev/null")] {
            let end = try await fixture.session.run(
                ["sh", "-c", "\"$0\" \(words) \(redirection)", BuiltFiles.helper], input: "protocol=https\n\n")
            #expect(end.status == 64, "\(end.errors)")
            #expect(end.errors.hasSuffix("hint:   git credential-gitspace setup\n"), "\(end.errors)")
        }
    }
}
