import TestSupport
import Testing

@Suite("The verb setup: a client ID of the person's own")
struct SetupClientTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }
    private func run(_ clientID: String? = nil, gitHubApp: Bool = false, host: String = "github.com") throws
        -> Verbs.ExitStatus
    {
        let options = (clientID.map { ["--client-id", $0] } ?? []) + (gitHubApp ? ["--github-app"] : [])
        return try setup.run(options, host: host)
    }

    /// Queues the answers that accept a client ID and sign octocat in.
    private func accepts() {
        respond(GitHubAnswers.device)
        setup.signsIn()
    }

    /// Queues GitHub's answers to an unknown client ID.
    private func refuses(times: Int = 1) {
        for _ in 1...times { respond(.json("{\"error\":\"Not Found\"}", status: 404)) }
    }

    private var keptID: String? {
        files.texts[.global]?.split(separator: "\n").first { $0.hasPrefix("\toauthClientId = ") }.map {
            String($0.dropFirst(17))
        }
    }

    private func refusal(_ error: SignInError, of clientID: DisplayText) -> UserFacingError? {
        .registration(error, host: "github.com", clientID: clientID, form: .gitHubOAuthApp)
    }

    @Test("shows the page, asks for the client ID, tries it, writes it for git, and signs in")
    func register() throws {
        questions.answers = ["Iv23liMine"]
        questions.hasBrowser = true
        accepts()
        #expect(try run(gitHubApp: true, host: "gist.github.com") == .done)
        let page = try #require(questions.opened.first)
        #expect(
            page == "https://github.com/settings/apps/new?url=https://github.com&public=false&webhook_active=false"
                + "&contents=write&workflows=write")
        #expect(setup.lines.contains("  \(page)") && setup.lines.contains("The page is opening in your browser."))
        #expect(setup.lines.contains { $0.contains("Enable Device Flow") })
        #expect(keptID == "Iv23liMine" && doubles.errors.isEmpty)
        #expect(credential()?.grant?.clientID == "Iv23liMine")
    }

    @Test("tries a Gitea client ID with an invented refresh token, and keeps neither an unknown nor a confidential one")
    func gitea() throws {
        for (error, isKept) in [("invalid_client", false), ("unauthorized_client", true)] {
            respond(GiteaAnswers.discovery(), GiteaAnswers.error(error))
            // The sign-in that follows fails because this machine has no browser.
            doubles.transport.otherwise = GiteaAnswers.discovery()
            #expect(try setup.run("--yes", "--client-id", "4f2d5ab2", host: "codeberg.org") == .failed)
            #expect(keptID == (isKept ? "4f2d5ab2" : nil))
        }
        let probe = requests[1]
        #expect(probe.address == "https://codeberg.org/login/oauth/access_token" && probe["refresh_token"] == "none")
        let refused = try #require(
            UserFacingError.registration(
                .clientConfidential, host: "codeberg.org", clientID: "4f2d5ab2", form: .giteaApplication))
        #expect(doubles.errors.first == refused)
        #expect(refused.hints.contains { $0.english.contains("Confidential Client") })
    }

    @Test("tries a client ID in the command without a question, and keeps no unknown one, or one for an unknown host")
    func named() throws {
        #expect(try run("Iv1.x", host: "ghe.example") == .failed)
        #expect(doubles.errors == [.notForSignIn(host: "ghe.example")] && files.texts.isEmpty && requests.isEmpty)
        refuses()
        #expect(try setup.run("--yes", "--client-id", "other") == .failed && keptID == nil)
        #expect(doubles.errors.last == refusal(.unknownClient, of: "other"))
        accepts()
        #expect(try run("Ov23liMine") == .done && keptID == "Ov23liMine")
        #expect(questions.asked.isEmpty && questions.opened.isEmpty)
    }

    @Test("names the replaced client ID, with the command that restores it")
    func replacedID() throws {
        files.texts[.global] = "[credential \"https://github.com\"]\n\toauthClientId = Iv1.before\n"
        doubles.configure("credential", "https://github.com", "oauthClientId", "Iv1.before")
        accepts()
        #expect(try run("Ov23liMine") == .done)
        #expect(setup.lines.contains("Replaces the client ID Iv1.before. To have it back:"))
        #expect(setup.lines.contains("  git config --global credential.https://github.com.oauthClientId Iv1.before"))
    }

    @Test("replaces a sign-in by another client before it looks at another tool's, and only once")
    func replaces() throws {
        helper.stored(expiresIn: 3_600)
        setup.gh("gho_gh")
        accepts()
        #expect(try run("Ov23liMine") == .done && prompts.count == 1)
        #expect(credential()?.grant?.clientID == "Ov23liMine" && questions.asked.isEmpty)
        setup.forget()
        respond(GitHubAnswers.device, GitHubAnswers.user("octocat"))
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try run("Ov23liMine") == .done && prompts.count == 1)
        #expect(setup.lines.contains("Already signed in to github.com as octocat."))
    }

    @Test("names the options that go on after Ctrl-C at the client ID and at the code")
    func stopped() throws {
        #expect(try run(gitHubApp: true) == .cancelled && keptID == nil)
        #expect(setup.lines.last == "  git credential-gitspace setup github.com --github-app")
        questions.answers = ["Iv1.x"]
        for _ in 1...2 { respond(GitHubAnswers.device) }
        doubles.ui.endOfWait = (1, .cancelled)
        #expect(try run(gitHubApp: true) == .cancelled && keptID == "Iv1.x")
        #expect(setup.lines.last == "  git credential-gitspace setup github.com --client-id Iv1.x")
    }

    @Test("tries a corrected client ID, or the same one again after the app was corrected")
    func corrected() throws {
        doubles.builtInClientID = nil
        questions.answers = ["1", "", "wrong", "off", ""]
        refuses()
        respond(GitHubAnswers.error("device_flow_disabled", "Device Flow must be enabled."))
        accepts()
        #expect(try setup.run() == .done && keptID == "off")
        let off = refusal(.deviceFlowDisabled, of: "off")
        #expect(doubles.errors == [.malformedClientID, refusal(.unknownClient, of: "wrong"), off])
        #expect(questions.asked.last == "Client ID (Enter tries off again, b goes back): ")
    }

    @Test("lists each way to sign in with its cost if there is no client ID, and the GitHub App works")
    func choice() throws {
        doubles.builtInClientID = nil
        questions.answers = ["?", "2", "Iv23liMine"]
        accepts()
        #expect(try setup.run() == .done && keptID == "Iv23liMine")
        #expect(
            setup.lines.prefix(8) == [
                "How do you want to sign in to github.com?",
                "  1  OAuth app of your own: register it once, in about two minutes",
                "     It reaches all your repositories. Its tokens do not expire.",
                "  2  GitHub App of your own: register it once, and install it on repositories",
                "     It reaches those that you choose. Its tokens last eight hours and are refreshed.",
                "  3  Personal access token: create one, and another when it expires",
                "     Fine-grained for the repositories that you choose, or classic for all of them.",
                "A client ID that is registered already, such as your company's, can be pasted instead.",
            ])
        #expect(questions.asked.prefix(3) == ["1, 2 or 3? [1] ", "1, 2 or 3? [1] ", "Client ID: "])
        #expect(
            setup.lines.contains("github.com accepted the client ID Iv23liMine. It is saved in git's configuration."))
        #expect(questions.opened.first?.hasPrefix("https://github.com/settings/apps/new?") == true)
    }

    @Test("accepts a registered client ID there, and refuses a token without sending it")
    func pastedID() throws {
        doubles.builtInClientID = nil
        questions.answers = ["ghp_0123456789", "4", "Ov23liWrong", "Ov23liTeam"]
        refuses()
        accepts()
        #expect(try setup.run() == .done && keptID == "Ov23liTeam")
        #expect(doubles.errors == [refusal(.unknownClient, of: "Ov23liWrong")])
        #expect(questions.opened.isEmpty && questions.asked.count == 4)
        #expect(requests.first?["client_id"] == "Ov23liWrong")
    }

    @Test("asks for another client ID if the host refuses the known one, but not with --yes")
    func refusedAtSignIn() throws {
        let known: DisplayText = "Iv1.0123456789abcdef"
        questions.answers = ["Ov23liMine"]
        refuses(times: 3)
        #expect(try setup.run("--yes") == .failed && questions.asked.isEmpty)
        let words = try #require(UserFacingError.signIn(.unknownClient, host: "github.com", clientID: known))
        #expect(doubles.errors == [words])
        accepts()
        #expect(try setup.run() == .done && keptID == "Ov23liMine")
        #expect(doubles.errors == [words, refusal(.unknownClient, of: known)])
        #expect(questions.asked == ["Client ID (Enter tries \(known) again, b goes back): "])
        #expect(credential()?.grant?.clientID == "Ov23liMine")
    }

    @Test("goes back to the choice with b after a refused client ID, and keeps nothing")
    func back() throws {
        doubles.builtInClientID = nil
        questions.answers = ["", "Ov23liWrong", "b", "Iv23liWrong", "b", "1", "Ov23liMine"]
        refuses(times: 2)
        accepts()
        #expect(try setup.run() == .done && keptID == "Ov23liMine")
        let again = { (clientID: String) in "Client ID (Enter tries \(clientID) again, b goes back): " }
        let (choice, first) = ("1, 2 or 3? [1] ", "Client ID: ")
        #expect(questions.asked == [choice, first, again("Ov23liWrong"), choice, again("Iv23liWrong"), choice, first])
    }

    @Test("goes back to the choice with b from a known client ID, and not from a typed one")
    func backFromKnown() throws {
        questions.answers = ["b"]
        refuses(times: 2)
        #expect(try setup.run() == .cancelled && keptID == nil)
        #expect(questions.asked.last == "1, 2 or 3? [1] ")
        questions.answers = ["b"]
        respond(.json("{\"error\":\"Not Found\"}", status: 404), .json("{\"error\":\"Not Found\"}", status: 404))
        #expect(try run("other") == .cancelled)
        #expect(questions.asked.last == "Client ID (Enter tries b again): ")
    }

    @Test("tries the known client ID again after the app was corrected, and writes nothing")
    func mended() throws {
        questions.answers = [""]
        for _ in 1...2 { respond(GitHubAnswers.error("device_flow_disabled", "Device Flow must be enabled.")) }
        accepts()
        #expect(try setup.run() == .done && keptID == nil)
        #expect(doubles.errors == [refusal(.deviceFlowDisabled, of: "Iv1.0123456789abcdef")])
    }

    @Test("stops after five wrong client IDs, and after one without a network, and keeps nothing")
    func attempts() throws {
        questions.answers = Array(repeating: "a b", count: 9)
        #expect(try run(gitHubApp: true) == .failed && questions.asked.count == 5 && doubles.errors.count == 5)
        questions.answers = ["one", "two"]
        doubles.transport.fail(.unreachable)
        #expect(try run(gitHubApp: true) == .failed && questions.asked.count == 6 && keptID == nil)
        #expect(doubles.errors.count == 6 && doubles.errors.last?.code != .clientUnusable)
    }

    @Test("shows the page and names the command if nobody can answer")
    func nobody() throws {
        questions.canAsk = false
        #expect(try run(gitHubApp: true) == .failed)
        questions.canAsk = true
        #expect(try setup.run("--yes", "--github-app") == .failed)
        doubles.environment["CI"] = "true"
        #expect(try run(gitHubApp: true) == .failed)
        let reasons: [DisplayText?] = [nil, "--yes", "CI"]
        #expect(doubles.errors == reasons.map { UserFacingError.nobodyToAsk(host: "github.com", because: $0) })
        #expect(hints.last == "  git credential-gitspace setup github.com --client-id ID")
        #expect(questions.opened.isEmpty && setup.lines.contains { $0.contains("/settings/apps/new") })
        #expect(questions.pictured.isEmpty)
    }

    @Test("shows a long address as a QR code as well, and not one that can be typed")
    func picture() throws {
        doubles.configure("credential", "https://gitlab.example", "provider", "gitlab")
        _ = try run(gitHubApp: true)
        #expect(questions.pictured.count == 1 && questions.pictured == questions.opened)
        questions.answers = ["1"]
        _ = try setup.run(host: "gitlab.example")
        #expect(questions.opened.last == "https://gitlab.example/-/user_settings/applications")
        #expect(questions.pictured.count == 1)
    }

    @Test(
        "names the command that writes a working client ID if setup cannot write it, or else the lines of the file",
        arguments: [
            (.locked("/global.lock"), "x", ["  git config --global credential.https://github.com.oauthClientId x"]),
            (
                .notPermitted("/global"), "x#1",
                ["  [credential \"https://github.com\"]", "  \toauthClientId = \"x#1\""]
            ),
        ] as [(ConfigurationFileError, DisplayText, [String])])
    func notKept(fault: ConfigurationFileError, clientID: DisplayText, lines: [String]) throws {
        doubles.transport.beforeAnswer = { [setup] _ in setup.files.fault = fault }
        respond(GitHubAnswers.device)
        #expect(try run(clientID.text) == .failed)
        #expect(doubles.errors == [.clientIDNotKept(fault, host: "github.com", clientID: clientID)])
        #expect(hints.dropFirst() == lines[...])
    }

    @Test("does not report a client ID as saved if a later line of git's configuration outranks it")
    func outranked() throws {
        files.others.append(
            OriginatedEntry("global", "/later", "credential", "https://github.com", "oauthclientid", "Other"))
        respond(GitHubAnswers.device)
        #expect(try setup.run("--client-id", "Ov23liMine") == .failed)
        #expect(doubles.errors.map(\.code) == [.clientIDNotKept])
        #expect(!setup.lines.contains { $0.contains("It is saved") })
    }
}
