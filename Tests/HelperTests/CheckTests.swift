import TestSupport
import Testing

@Suite("The verb check")
struct CheckTests: HelperSuite {
    let helper = HelperFixture()
    private static let user = "https://api.github.com/user"

    init() {
        // The owner of a token does not matter here, unless a test sets it.
        doubles.transport.aside = { $0.address == Self.user ? .page(status: 502) : nil }
    }

    private func check(_ url: String = "https://github.com/acme/widgets") throws -> PrintedObject {
        try verb.check(url)
    }

    private func notFound(_ scopes: String? = "repo") -> HTTPResponse {
        .json("{\"message\":\"Not Found\"}", status: 404, headers: scopes.map { [("x-oauth-scopes", $0)] } ?? [])
    }

    @Test("uses a fresh token as it is")
    func reached() throws {
        helper.stored(expiresIn: 3_600)
        respond(GitHubAnswers.repository())
        let finding = try check()
        #expect(finding["result"] == "reachable" && finding.isTrue("read") == true && finding.isTrue("push") == true)
        #expect(finding["text"] == "octocat can read acme/widgets and push to it")
        #expect(finding.hints.isEmpty && finding["username"] == "octocat")
        #expect(requests.map(\.address) == ["https://api.github.com/repos/acme/widgets"])
        #expect(requests.map(\.authorization) == ["Bearer ghu_old"])
    }

    @Test("does not use a token that belongs to another account, and names its owner")
    func ofAnother() throws {
        helper.brought("ghp_planted")
        doubles.transport.aside = { $0.address == Self.user ? GitHubAnswers.user("mallory") : nil }
        let finding = try check()
        #expect(finding["result"] == "other_account" && requests.isEmpty)
        #expect(finding["text"] == "the token stored as octocat belongs to mallory")
        #expect(finding["owner"] == "mallory" && finding["other_account"] == nil)
        // A token asked for as another account's shows nothing either.
        helper.stored(expiresIn: 3_600, user: "monalisa")
        doubles.transport.aside = { request in
            guard request.address == Self.user else { return nil }
            return GitHubAnswers.user(request.authorization == "Bearer ghu_old" ? "monalisa" : "mallory")
        }
        respond(notFound())
        let other = try check()
        #expect(other["username"] == "monalisa" && other["result"] == "not_found" && other["other_account"] == nil)
        #expect(requests.map(\.authorization) == ["Bearer ghu_old"])
    }

    @Test("renews a token that the host rejects if it can, and does not use it again", arguments: ["ghr_old", nil])
    func rejected(refreshToken: String?) throws {
        helper.stored(expiresIn: 3_600, refreshToken: refreshToken)
        doubles.transport.aside = { request in
            guard request.address == Self.user else { return nil }
            return request.authorization == "Bearer ghu_old" ? GitHubAnswers.badCredentials : nil
        }
        if refreshToken != nil { respond(GitHubAnswers.gitHubAppToken, GitHubAnswers.repository(scopes: nil)) }
        #expect(try check()["result"] == (refreshToken == nil ? "revoked" : "reachable"))
        #expect(doubles.transport.isExhausted && requests.isEmpty == (refreshToken == nil))
    }

    @Test("renews an expired token first, and reports one that cannot be renewed without a sign-in")
    func ended() throws {
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.gitHubAppToken, GitHubAnswers.repository(scopes: nil))
        #expect(try check()["result"] == "reachable")
        #expect(password() != "ghu_old")
        helper.stored(expiresIn: -10, refreshToken: nil)
        #expect(try check()["result"] == "expired" && prompts.isEmpty)
    }

    @Test("names the missing permission, and the command that adds it")
    func scopes() throws {
        helper.stored(expiresIn: 3_600)
        let command = "  git credential-gitspace login github.com octocat --force"
        respond(GitHubAnswers.repository(scopes: "repo"))
        #expect(try check().hints.last == command)
        respond(notFound("public_repo"))
        let finding = try check()
        #expect(finding["result"] == "scope_missing" && finding.isTrue("read") == false)
        #expect(finding.hints.last == command)
        respond(notFound())
        #expect(try check()["result"] == "not_found")
        respond(notFound(nil))
        #expect(try check()["result"] == "app_not_installed")
        respond(GitHubAnswers.repository(more: ",\"archived\":true"))
        #expect(try check().isTrue("push") == false)
    }

    @Test("distinguishes a refused token, an offline host and a server in trouble")
    func faults() throws {
        helper.stored(expiresIn: 3_600, refreshToken: nil)
        respond(GitHubAnswers.badCredentials)
        #expect(try check()["result"] == "revoked")
        doubles.transport.fail(.unreachable)
        #expect(try check()["result"] == "offline")
        respond(.page(status: 503))
        #expect(try check()["result"] == "server_in_trouble")
        respond(
            .json(
                "{}", status: 429,
                headers: [("x-ratelimit-reset", "\(RecordingClock.start + 90)"), ("x-ratelimit-remaining", "0")]))
        #expect(try check().hints == ["try again in 2 minutes; git is not affected"])
        doubles.keyring.fault = .unresponsive(seconds: 5)
        #expect(try check()["text"] == "the keyring did not answer within 5 seconds")
    }

    @Test("finds a public repository readable if nobody is signed in")
    func nobody() throws {
        respond(notFound(nil))
        #expect(try check()["result"] == "not_signed_in")
        respond(.json("{\"full_name\":\"acme/widgets\",\"private\":false}"))
        let open = try check()
        #expect(open["result"] == "not_signed_in" && open.isTrue("read") == true && open.isTrue("push") == false)
        #expect(requests.allSatisfy { $0.authorization == nil })
    }

    @Test("names another account that reaches the repository, with the command that chooses it, and tries up to eight")
    func otherAccount() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: 3_600, user: "bob")
        respond(notFound(), GitHubAnswers.repository())
        let finding = try check()
        #expect(finding["result"] == "wrong_account" && finding["other_account"] == "bob")
        #expect(finding["username"] == "octocat")
        #expect(finding["text"] == "octocat cannot access acme/widgets, but bob can")
        #expect(finding.hints.dropFirst() == ["  git credential-gitspace switch github.com bob --owner acme"])
        respond(GitHubAnswers.repository(push: false), GitHubAnswers.repository())
        let reader = try check()
        #expect(reader["result"] == "reachable" && reader["other_account"] == "bob" && reader.isTrue("push") == false)
        #expect(reader.hints.contains("your other account bob has more access here"), "\(reader.hints)")
        for _ in 1...2 { respond(GitHubAnswers.repository(push: false)) }
        #expect(try check()["other_account"] == nil)
        for number in 0..<12 { helper.stored(expiresIn: 3_600, user: "user\(number)") }
        let before = requests.count
        for _ in 0..<9 { respond(notFound()) }
        #expect(try check()["result"] == "not_found" && requests.count == before + 9)
    }

    @Test("reports the loss of another account's new token, which cannot be saved")
    func lost() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: -10, user: "bob")
        doubles.keyring.saveFault = .disconnected
        respond(notFound(), GitHubAnswers.gitHubAppToken)
        #expect(try check()["result"] == "not_found" && doubles.errors.map(\.code) == [.notSaved])
    }

    @Test("names whom to ask if a push is not allowed, and the app's page if an app may be the reason")
    func mayNotPush() throws {
        helper.stored(expiresIn: 3_600)
        let ask = "ask the owner of acme/widgets for write access, or push to a fork of it"
        respond(GitHubAnswers.repository(push: false))
        #expect(try check().hints == [ask])
        respond(GitHubAnswers.repository(push: false, scopes: nil))
        #expect(
            try check().hints == [
                ask, "if you have write access, the app may lack it; see its permissions here:",
                "  https://github.com/settings/installations",
            ])
        // Nobody can push to an archived repository.
        respond(GitHubAnswers.repository(push: false, more: ",\"archived\":true"))
        #expect(try check().hints == ["it is archived, so no one can push to it"])
    }

    @Test("uses the account in the address, or else the configured one")
    func asked() throws {
        helper.stored(expiresIn: 3_600, user: "bob")
        helper.stored(expiresIn: 3_600)
        respond(GitHubAnswers.repository())
        #expect(try check("https://bob@github.com/acme/widgets")["username"] == "bob")
        // git takes the last line that covers the address, not the closest.
        verb.files.texts[.global] =
            "[credential \"https://github.com/acme\"]\n\tusername = zoe\n"
            + "[credential \"https://github.com\"]\n\tusername = bob\n"
        respond(GitHubAnswers.repository())
        #expect(try check()["username"] == "bob")
        respond(GitHubAnswers.repository())
        #expect(try check("https://octocat@github.com/acme/widgets")["username"] == "octocat")
        respond(notFound(nil), notFound(), notFound())
        let stranger = try check("https://eve@github.com/acme/widgets")
        #expect(stranger["result"] == "not_signed_in")
        #expect(stranger.hints.last == "  git credential-gitspace login github.com eve")
    }

    @Test("reports the new address of a moved repository, and does not follow the redirect")
    func moved() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: 3_600, user: user) }
        respond(.json("{}", status: 301, headers: [("location", "https://api.github.com/repositories/7")]))
        let finding = try check("acme/gadgets")
        #expect(finding["result"] == "moved" && finding.isTrue("read") == false)
        #expect(finding.hints.last == "  https://github.com/acme/gadgets" && requests.count == 1)
    }

    @Test("sends only the question for its kind to a host without a sign-in")
    func foreign() throws {
        respond(.page(status: 404))
        let finding = try check("https://git.example/acme/widgets")
        #expect(finding["result"] == "unknown" && finding["host"] == "git.example")
        #expect(finding["text"] == "unknown host git.example")
        #expect(requests.map(\.authorization) == [nil])
        respond(.json("", status: 401, headers: [("www-authenticate", "Basic realm=\"GitLab\"")]))
        let known = try check("https://git.example/acme/widgets")
        let recognized = UserFacingError.hostRecognized(RecognizedHost(.gitlab, "GitLab"), host: "git.example")
        #expect(known["text"] == recognized.text.english)
        #expect(known.hints.last == "  git credential-gitspace setup git.example")
    }

    @Test("prints sentences for people, and one object in English without a mark for programs")
    func forms() throws {
        helper.stored(expiresIn: 3_600)
        respond(GitHubAnswers.repository(scopes: "repo"))
        let (status, text) = try verb.run("check", "acme/widgets")
        #expect(status == .done && doubles.errors.isEmpty)
        #expect(
            text == [
                "acme/widgets on github.com, as octocat", "  Read: yes", "  Push: yes", "  Change workflow files: no",
                "  the token lacks the workflow scope, so pushes that change workflow files are rejected; sign in again:",
                "    git credential-gitspace login github.com octocat --force",
            ])
        respond(notFound())
        #expect(try verb.run("check", "acme/widgets") == (.failed, []))
        let words = try #require(doubles.errors.last)
        #expect(words.code == .finding)
        #expect(words.text.english == "acme/widgets does not exist, or octocat has no access to it")
        #expect(words.hints.map(\.english) == ["check the name, or ask the owner for access"])
        respond(notFound())
        #expect(try verb.run("check", "acme/widgets", "--json") == (.failed, []))
        #expect(
            verb.printed
                == #"{"host": "github.com", "repository": "acme/widgets", "username": "octocat", "result": "not_found", "#
                + #""read": false, "push": false, "workflow": false, "page": null, "owner": null, "#
                + #""other_account": null, "text": "acme/widgets does not exist, or octocat has no access to it", "#
                + "\"hints\": [\"check the name, or ask the owner for access\"]}\n")
        #expect(doubles.errors.count == 1)
    }

    @Test("prints no result if the check was interrupted", arguments: [[], ["--json"]])
    func interrupted(words: [String]) throws {
        doubles.ui.endOfWait = (1, .cancelled)
        respond(.page(status: 404))
        #expect(try verb.run(["check", "https://git.example/a/b"] + words) == (.cancelled, []))
        #expect(verb.printed.isEmpty && doubles.errors.isEmpty)
    }

    @Test("checks the current folder's repository by default, and refuses an address without owner and name")
    func address() throws {
        #expect(try verb.run("check").status == .failed)
        #expect(try verb.run("check", "https://gist.github.com/octocat/1").status == .failed)
        #expect(doubles.errors == [.noRepositoryHere, .notARepository])
        verb.remote = "git@github.com:acme/widgets.git"
        respond(notFound(nil))
        #expect(try verb.objects("check").first?["repository"] == "acme/widgets")
    }

    @Test(
        "recognizes the rule behind a refusal",
        arguments: [
            ("OAuth App access restrictions", "app_restricted"), ("an IP allow list enabled", "address_not_allowed"),
            ("Repository access blocked", "blocked"), ("organization SAML enforcement", "single_sign_on"),
        ])
    func refusals(message: String, result: String) throws {
        helper.stored(expiresIn: 3_600)
        respond(.json("{\"message\":\"\(message)\"}", status: 403))
        let finding = try check()
        #expect(finding["result"] == result && finding.isTrue("read") == false)
    }
}
