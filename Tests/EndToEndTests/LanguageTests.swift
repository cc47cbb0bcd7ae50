import Staging
import Testing

/// Text for people is in their language; text for git never changes.
@Suite("Languages")
struct LanguageTests {
    /// The variables, and whether they select Korean.
    private typealias Choice = (environment: [String: String], isKorean: Bool)

    /// The session itself has `LC_ALL=C.UTF-8`.
    private static let choices: [Choice] = [
        ([:], false), (["LANGUAGE": "ko"], true),
        // A container in which the named locale has not been generated.
        (["LC_ALL": "", "LANG": "ko_KR.UTF-8", "LOCPATH": "/nowhere"], true),
        (["LC_ALL": "ko_KR.utf8@cjknarrow", "LOCPATH": "/nowhere"], true),
        (["LC_ALL": "C", "LANG": "ko_KR.UTF-8", "LANGUAGE": "ko"], false),
        (["LC_ALL": "", "LC_MESSAGES": "C", "LANG": "ko_KR.UTF-8"], false),
        (["LC_ALL": "", "LANG": "ko_KR.UTF-8", "LANGUAGE": "en:ko"], false),
        // Korean is not sent in an encoding that is not UTF-8.
        (["LC_ALL": "ko_KR.EUC-KR", "LOCPATH": "/nowhere"], false),
    ]

    @Test("prints an error in the person's language after constant prefixes, and the same answer to git")
    func failure() async throws {
        let fixture = try await EndToEndFixture()
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        for choice in Self.choices + (try generatedLocales(in: fixture.session.home)) {
            let end = try await fixture.helper("get", environment: choice.environment)
            let korean = """
                gitspace: error: \(fixture.host)에 로그인되어 있지 않고, 로그인할 터미널이나 데스크톱이 없습니다
                hint: 터미널에서 로그인하십시오:
                hint:   git credential-gitspace login \(fixture.host)

                """
            let english = """
                gitspace: error: not signed in to \(fixture.host), and there is no terminal or desktop to sign in from
                hint: sign in from a terminal:
                hint:   git credential-gitspace login \(fixture.host)

                """
            #expect(end.errors == (choice.isKorean ? korean : english), "\(choice.environment)")
            #expect(end.output.isEmpty, "\(choice.environment)")
        }
        // An answer to git, and the output for programs.
        try await fixture.remember(token, expiringIn: 36_000)
        func outputs(_ environment: [String: String]) async throws -> [String] {
            var outputs: [String] = []
            for report in [["get"], ["status", "--json"], ["--version"]] {
                outputs.append(try await output(of: report, on: fixture, in: environment))
            }
            return outputs
        }
        let english = try await outputs([:])
        #expect(try await outputs(["LANGUAGE": "ko"]) == english)
        #expect(english[0].contains("password=\(token.accessToken)\n") && english[1].contains("\"authorized\""))
    }

    @Test("prints a sign-in and a status in Korean", arguments: [80, 60] as [UInt16])
    func signIn(columns: UInt16) async throws {
        let fixture = try await EndToEndFixture()
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        let terminal = try PseudoTerminal(columns: columns)
        let environment = ["LC_ALL": "", "LANG": "ko_KR.UTF-8"]
        try await fixture.git("ls-remote", fixture.address(), environment: environment, on: terminal).succeeded()
        for line in [
            "git이 GitHub(\(fixture.host))에 로그인해야 합니다.", "1. 아래 주소를 여십시오. 다른 기기에서 열어도 됩니다.", "2. 아래 코드를 입력하십시오.",
            "✓ 로그인됨: monalisa. 키링에 저장했습니다.",
        ] { #expect(terminal.screen.contains(line + "\n"), "\(terminal.text)") }
        #expect(terminal.text.contains("승인을 기다리는 중입니다. 15분 남음. Ctrl-C: 취소."), "\(terminal.text)")
        // Hangul takes two columns.
        let columnsUsed = terminal.screen.split(separator: "\n").map { line in
            line.unicodeScalars.reduce(0) { $0 + (("가"..."힣").contains($1) ? 2 : 1) }
        }
        #expect(columnsUsed.allSatisfy { $0 <= 60 }, "\(terminal.screen)")

        let status = try await output(of: ["status", fixture.host], on: fixture, in: environment)
        #expect(status.contains("  로그인됨: monalisa(키링)\n    토큰: 만료되지 않음\n"), "\(status)")
        #expect(status.contains("    로그아웃: git credential-gitspace logout \(fixture.host)\n"), "\(status)")
    }

    /// Returns locales as `dpkg-reconfigure locales` makes them, if the system has their sources.
    private func generatedLocales(in home: String) throws -> [Choice] {
        let folder = home + "/locales"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for charset in ["UTF-8", "EUC-KR"] {
            let localedef = ["localedef", "-i", "ko_KR", "-f", charset, "\(folder)/ko_KR.\(charset)"]
            guard try RunningProgram.run(localedef).status == 0 else {
                Skipped.note("a generated Korean locale", because: "localedef makes none here (package locales)")
                return []
            }
        }
        return [
            (["LC_ALL": "ko_KR.UTF-8", "LOCPATH": folder], true),
            (["LC_ALL": "ko_KR.EUC-KR", "LOCPATH": folder], false),
        ]
    }

    private func output(of arguments: [String], on fixture: EndToEndFixture, in environment: [String: String])
        async throws -> String
    {
        let end = try await fixture.gitspace(arguments, environment: environment, input: fixture.request)
        #expect(end.errors.isEmpty && end.status == 0, "\(arguments): \(end.errors)")
        return end.output
    }
}
