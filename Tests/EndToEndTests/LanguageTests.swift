import Staging
import Testing

extension Substring {
    /// The columns that a terminal needs, two for each syllable of Hangul.
    var columns: Int { unicodeScalars.reduce(0) { $0 + (("가"..."힣").contains($1) ? 2 : 1) } }
}

@Suite("Lines at a terminal")
struct LineTests {
    /// Starts the program with standard output at the terminal too, as a person does.
    private func screen(
        _ fixture: EndToEndFixture, _ arguments: [String], columns: UInt16, environment: [String: String] = [:]
    ) async throws -> String {
        let terminal = try PseudoTerminal(columns: columns)
        let output = open(terminal.path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        defer { close(output) }
        _ = try await fixture.start(
            [BuiltFiles.helper] + arguments, environment: environment, standardOutput: output, on: terminal
        ).ended()
        return terminal.screen
    }

    @Test("breaks errors, hints and reports between words, and never a command", arguments: ["en", "ko"])
    func verbs(language: String) async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa", expiringIn: 36_000)
        let environment = ["LANGUAGE": language]
        for verb in [
            ["doctor"], ["status"], ["refresh", "--username", "zoe"], ["check", "acme/none"],
            ["configure", "github.com"],
        ] {
            let verb = verb == ["check", "acme/none"] ? ["check", fixture.address("acme/none")] : verb
            let whole = try await fixture.gitspace(verb, environment: environment)
            // The output has colours.
            let screen = try await screen(fixture, verb, columns: 50, environment: environment)
                .replacing(#/\u{1b}\[\d*m/#, with: "")
            for line in screen.split(separator: "\n") where line.columns > 50 {
                // A command is on a line of its own. A path is not broken before a blank in it.
                let words = line.replacing("hint:", with: "").trimmingPrefix { $0 == " " }
                let path = BuiltFiles.helper.split(separator: " ").last ?? "/"
                #expect(
                    ["git ", "/", "(/", "helper = /", "[credential", path].contains { words.hasPrefix($0) },
                    "\(verb): \(line)")
            }
            func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
            // In a pipe, the words are the same except for times and versions, standard output first.
            if verb.first != "configure" {
                #expect(Set(words(screen)) == Set(words(whole.output + whole.errors)), "\(verb)")
            }
        }
    }

    @Test("leaves whole lines to a screen reader")
    func accessible() async throws {
        let fixture = try await EndToEndFixture()
        let arguments = ["refresh", fixture.host]
        let whole = try await fixture.gitspace(arguments).errors
        #expect(whole.split(separator: "\n").contains { $0.count > 30 })
        let screen = try await screen(
            fixture, arguments, columns: 30,
            environment: [
                "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.gitspaceAccessible", "GIT_CONFIG_VALUE_0": "1",
            ])
        #expect(screen == whole)
        #expect(try await self.screen(fixture, arguments, columns: 30) != whole)
    }
}

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
            let (text, advice) =
                choice.isKorean
                ? ("\(fixture.host)에 로그인되어 있지 않고, 로그인할 터미널이나 데스크톱이 없습니다", "터미널에서 로그인하십시오:")
                : (
                    "not signed in to \(fixture.host), and there is no terminal or desktop to sign in from",
                    "sign in from a terminal:"
                )
            let hints = "hint: \(advice)\nhint:   git credential-gitspace login \(fixture.host)\n"
            #expect(end.errors == "gitspace: error: \(text)\n" + hints, "\(choice.environment)")
            #expect(end.output.isEmpty, "\(choice.environment)")
        }
        // An answer to git, and the output for programs.
        try await fixture.remember(token, expiringIn: 36_000)
        for (report, part) in [
            (["get"], "password=\(token.accessToken)\n"), (["status", "--json"], "\"authorized\""),
            (["--version"], "\n"),
        ] {
            let english = try await output(of: report, on: fixture, in: [:])
            #expect(try await output(of: report, on: fixture, in: ["LANGUAGE": "ko"]) == english)
            #expect(english.contains(part))
        }
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
        #expect(terminal.screen.split(separator: "\n").allSatisfy { $0.columns <= 60 }, "\(terminal.screen)")

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
