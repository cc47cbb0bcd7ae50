import Glibc
import Staging
import Testing

@Suite("git without a terminal")
struct GitTests {
    @Test("continues after the person has read the code in a notification and approved", arguments: Git.all)
    func success(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let desktop = try await ScriptedDesktop(in: fixture.session)
        // The browser for the button, which this test does not press.
        let running = try fixture.startGit(["ls-remote", fixture.address()], environment: ["BROWSER": "true"])
        let question = try await desktop.notification()
        let code = try #require(fixture.github.newestUserCode)
        #expect(question.summary == "git needs to sign in to GitHub (\(fixture.host)).")
        #expect(
            question.body == """
                <b>\(code)</b>
                Enter this code on https://\(fixture.host)/login/device
                Only if you started this yourself.
                Asked by: git ls-remote, in "~"
                """)
        #expect(question.actions == ["default", "Open the page", "open", "Open the page"])
        #expect(question.urgency == 2 && question.expiry == 0)
        fixture.github.enter(userCode: code, approvingAs: "monalisa")
        let end = try await running.ended()
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
        let calls = try desktop.calls
        #expect(calls.map(\.call) == ["Notify", "Notify"])
        #expect(calls.last?.summary == "Signed in as monalisa" && calls.last?.replaced == question.number)
        #expect(calls.last?.urgency == 1 && calls.last?.expiry == -1)
        #expect(try await fixture.session.items().count == 1)
    }

    @Test("shows a notification without a code if the browser is enough, and its button opens the page")
    func browser() async throws {
        let fixture = try await EndToEndFixture(.gitLab)
        let program = fixture.session.home + "/browser"
        try await fixture.session.write(
            program: program,
            """
            #!/bin/sh
            exec curl --disable --silent --location --max-time 60 --proxy \(fixture.server.proxyAddress) \\
                --noproxy 127.0.0.1 --cacert \(fixture.server.caFile) --output '\(program).html' "$1"
            """)
        _ = try await fixture.git("config", "--global", "credential.gitspaceBrowser", program)
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let desktop = try await ScriptedDesktop(in: fixture.session)
        let running = try fixture.startGit(["ls-remote", fixture.address()], environment: ["DISPLAY": ":99"])
        let question = try await desktop.notification()
        #expect(question.summary?.contains(fixture.host) == true && question.actions?.contains("open") == true)
        #expect(fixture.server.count(of: .deviceCode) == 0 && fixture.server.count(of: .authorization) == 0)
        try await desktop.person("press open")
        let end = try await running.ended()
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
        #expect(try desktop.notifications.last?.summary == "Signed in as monalisa")
        #expect(fixture.server.count(of: .authorization) == 1 && fixture.server.count(of: .exchange) == 1)
        #expect(try String(contentsOfFile: program + ".html", encoding: .utf8).contains("as monalisa"))
    }

    @Test("explains in the notification how to continue if the browser returns by https")
    func https() async throws {
        let fixture = try await EndToEndFixture(.gitLab)
        let program = fixture.session.home + "/browser"
        try await fixture.session.write(
            program: program,
            """
            #!/bin/bash
            back=$(curl --disable --silent --proxy \(fixture.server.proxyAddress) --cacert \(fixture.server.caFile) \\
                --output /dev/null --write-out '%{redirect_url}' "$1")
            curl --disable --silent --insecure "https${back#http}"
            until [[ -e $HOME/corrected ]]; do sleep 0.1; done
            curl --disable --silent --output '\(program).html' "$back"
            """)
        _ = try await fixture.git("config", "--global", "credential.gitspaceBrowser", program)
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let desktop = try await ScriptedDesktop(in: fixture.session)
        let running = try fixture.startGit(["ls-remote", fixture.address()], environment: ["DISPLAY": ":99"])
        let question = try await desktop.notification(then: "press open")
        let told = try await desktop.notification(2)
        #expect(told.body?.hasPrefix("Your browser came back with https") == true, "\(told)")
        #expect(
            told.summary == question.summary && told.replaced == question.number && told.actions == question.actions)
        try Data().write(to: URL(filePath: fixture.session.home + "/corrected"))
        let end = try await running.ended()
        #expect(end.status == 0 && end.errors.hasPrefix("Your browser came back with https"), "\(end.errors)")
    }

    @Test("ends the sign-in if the notification is dismissed, and shows no other one")
    func dismissed() async throws {
        let fixture = try await EndToEndFixture()
        let desktop = try await ScriptedDesktop(in: fixture.session)
        let running = try fixture.startGit(["ls-remote", fixture.address()])
        try await desktop.notification(then: "dismiss")
        let end = try await running.ended()
        #expect(end.status == 128 && end.errors.hasPrefix("Sign-in cancelled.\n"), "\(end.errors)")
        #expect(end.errors.contains("told us to quit") && end.errors.split(separator: "\n").count == 2)

        let next = try await fixture.helper("get")
        // The message names the reason and the time limit, instead of a missing person.
        let beginning = "gitspace: error: not signed in to \(fixture.host): the last sign-in notification was closed"
        #expect(next.output.isEmpty && next.errors.hasPrefix(beginning), "\(next.errors)")
        #expect(next.errors.contains(/until \d{4}-\d\d-\d\d \d\d:\d\d/))
        #expect(try desktop.notifications.count == 1 && fixture.github.count(of: .deviceCode) == 1)
    }

    @Test("removes the notification if the sign-in is declined in the browser")
    func declined() async throws {
        let fixture = try await EndToEndFixture()
        let desktop = try await ScriptedDesktop(in: fixture.session)
        fixture.github.nextSignIn(.deny)
        let answer = try await fixture.helper("get")
        #expect(answer.output == "quit=1\n" && answer.errors.contains("declined in the browser"))
        #expect(try await desktop.withdrawal().number == desktop.notifications.first?.number)
    }

    @Test("removes the notification if it is terminated or git is killed", arguments: [SIGTERM, SIGKILL])
    func ended(signal: Int32) async throws {
        let fixture = try await EndToEndFixture()
        let desktop = try await ScriptedDesktop(in: fixture.session)
        let running = try fixture.startGit(["ls-remote", fixture.address()])
        try await desktop.notification()
        // SIGTERM goes to the helper, SIGKILL to git, which cannot tell us.
        let mark = signal == SIGTERM ? "git-credential-gitspace" : "git-remote-https"
        for process in running.processes where commandLine(of: process).first?.contains(mark) == true {
            kill(process, signal)
        }
        #expect(try await desktop.withdrawal().number == 1)
        _ = try await running.ended()
        #expect(fixture.github.completedSignIns == 0)
    }

    @Test("shows one notification for eight gits")
    func eight() async throws {
        let fixture = try await EndToEndFixture()
        let desktop = try await ScriptedDesktop(in: fixture.session)
        let script = "for n in 1 2 3 4 5 6 7 8; do git ls-remote \"$0\" >/dev/null && echo done & done; wait"
        let running = try fixture.start(["sh", "-c", script, fixture.address()])
        try await desktop.notification()
        fixture.github.enter(userCode: try #require(fixture.github.newestUserCode), approvingAs: "monalisa")
        #expect(try await running.ended().output == String(repeating: "done\n", count: 8))
        #expect(try desktop.notifications.count == 2 && fixture.github.count(of: .deviceCode) == 1)
    }

    @Test("shows no notification where prompts are forbidden")
    func forbidden() async throws {
        let fixture = try await EndToEndFixture()
        let desktop = try await ScriptedDesktop(.silent, in: fixture.session)
        let environments = [
            ["GIT_TERMINAL_PROMPT": "0"], ["CI": "true"], ["GCM_INTERACTIVE": "never"],
            ["VSCODE_GIT_FETCH_SILENT": "1"],
            ["GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.gitspaceFlow", "GIT_CONFIG_VALUE_0": "none"],
        ]
        for environment in environments {
            let answer = try await fixture.helper("get", environment: environment)
            #expect(
                answer.output.isEmpty && answer.errors.contains("sign-in is off because"),
                "\(environment): \(answer.errors)")
        }
        try await fixture.signedIn("monalisa")
        #expect(try await fixture.helper("get").output.contains("monalisa"))
        #expect(try desktop.calls.isEmpty && fixture.github.count(of: .deviceCode) == 0)
    }
}
