import TestSupport
import Testing

@Suite("get: sign-ins, and the account that has signed in")
struct SignInTests: HelperSuite {
    let helper = HelperFixture()

    @Test("requests the code, polls, asks for the name, saves and answers in this order, at the right intervals")
    func order() throws {
        respond(
            GitHubAnswers.device, GitHubAnswers.pending, GitHubAnswers.gitHubAppToken, GitHubAnswers.user("octocat"))
        let token = "ghu_16C7e42F292c6912E7710c838347Ae178B4a"
        #expect(try get() == "username=octocat\npassword=\(token)\npassword_expiry_utc=1700028812\n")
        let poll = "POST https://github.com/login/oauth/access_token"
        #expect(
            doubles.journal.entries.filter { !$0.hasPrefix("say") } == [
                "keyring items", "keyring checkWritable", "lock", "keyring items",
                "POST https://github.com/login/device/code", "show WDJB-MJHT", poll, poll, "dismiss",
                "GET https://api.github.com/user", "signals wait", "lock", "keyring items", "keyring save", "unlock",
                "signals pass", "unlock",
            ])
        let host = HostName(name: "github.com")
        let account = LockName.account(Array("octocat".utf8), on: host)
        #expect(doubles.locks.wanted == [LockName.signIn(as: nil, on: host), account].map(\.text))
        #expect(doubles.ui.waits == [6_000, 6_000] && doubles.transport.isExhausted && doubles.errors.isEmpty)
    }

    @Test("waits for the account's lock and saves an approved token, even if git has ended meanwhile")
    func lockedAccount() throws {
        doubles.locks.turnsUntilFree = 1
        // The waits are for the sign-in's lock and before the poll. Nothing after the approval may ask again.
        doubles.ui.endOfWait = (3, .abandoned)
        helper.approve()
        #expect(try get().contains("gho_16C7") && doubles.keyring.items.count == 1 && doubles.errors.isEmpty)
    }

    @Test("waits for a busy server before it shows a code, a second at least and two minutes in all at most")
    func busy() throws {
        let later = { (seconds: String) in HTTPResponse(status: 429, headers: [("retry-after", Array(seconds.utf8))]) }
        respond(later("7"))
        helper.approve()
        #expect(try get().contains("gho_16C7"))
        #expect(notices.first == .serverIsBusy(host: "github.com", seconds: 7))
        try doubles.keyring.items.forEach(doubles.keyring.remove)
        respond(later("0"))
        helper.approve()
        #expect(try get().contains("gho_16C7") && doubles.ui.waits == [7_000, 6_000, 1_000, 6_000])
        try doubles.keyring.items.forEach(doubles.keyring.remove)
        respond(later("121"))
        #expect(try get() == "quit=1\n" && doubles.errors == [signInFailure(.busy(seconds: 121))])
        respond(later("61"), later("60"))
        #expect(try get() == "quit=1\n" && doubles.errors.last == signInFailure(.busy(seconds: 60)))
    }

    @Test("shows the provider, the host, the account and the code's end")
    func prompt() throws {
        respond(GitHubAnswers.device, GitHubAnswers.denied)
        let start = doubles.clock.uptimeMilliseconds
        _ = try get(as: "Octocat")
        let prompt = try #require(prompts.first)
        #expect(prompt.providerName == "GitHub" && prompt.host == "github.com")
        #expect(prompt.askedAccount == .named("Octocat"))
        #expect(prompt.approval.address.text == "https://github.com/login/device")
        #expect(prompt.end == start + 900_000)
        #expect(!prompt.isRenewal)
    }

    @Test("stores the grant's client ID, origin and scopes under git's own attributes for the whole host")
    func stored() throws {
        helper.approve()
        _ = try get(host: "GitHub.com:443", path: "acme/widgets.git")
        let item = try #require(doubles.keyring.items.first)
        #expect(String(decoding: item.attributes.label, as: UTF8.self) == "Git: https://github.com/")
        #expect(item.attributes.user == Array("octocat".utf8))
        #expect(
            doubles.keyring.onlyText == """
                gho_16C7e42F292c6912E7710c838347Ae178B4a
                gitspace_client_id=Iv1.0123456789abcdef
                gitspace_token_origin=https://github.com
                gitspace_issued=1700000006
                gitspace_scope=repo gist workflow
                gitspace_since=1700000006
                gitspace_account_id=1
                """)
    }

    @Test("does not ask again because of an expired token for one path")
    func endedPath() throws {
        helper.brought("ended", expiresIn: -10, path: "a.git")
        helper.approve()
        let request = "protocol=https\nhost=github.com\npath=a.git"
        let first = try helper.run(.get, request)
        #expect(try helper.run(.get, request) == first && prompts.count == 1)
    }

    @Test(
        "names scopes that were not granted, unless another scope contains them",
        arguments: [
            ("repo,gist,workflow", nil), ("repo", "workflow, gist"), ("repo,workflow", "gist"), ("", nil),
            ("public_repo,workflow,gist", "repo"), ("user,repo,workflow,gist", nil),
        ] as [(String, String?)])
    func scopes(granted: String, missing: String?) throws {
        helper.approve(.json(#"{"access_token":"gho_1","token_type":"bearer","scope":"\#(granted)"}"#))
        _ = try get()
        let said = notices.compactMap { notice in if case .notGranted(_, let missing) = notice { missing } else { nil }
        }
        #expect(said == (missing.map { [DisplayText(trusted: $0)] } ?? []))
    }

    @Test("requests the configured client's code and scopes")
    func configured() throws {
        doubles.configure("credential", "https://github.com", ["oauthClientId": "Iv1.mine", "oauthScopes": "repo"])
        helper.approve()
        _ = try get()
        #expect(requests.first?["client_id"] == "Iv1.mine")
        #expect(requests.first?["scope"] == "repo")
        #expect(credential()?.grant?.clientID == "Iv1.mine")
    }

    @Test("returns the token once and reports the error if saving fails")
    func notSaved() throws {
        doubles.keyring.saveFault = .disconnected
        helper.approve()
        #expect(try get().contains("gho_16C7"))
        #expect(doubles.errors == [.notSaved(.keyring(.disconnected))] && doubles.keyring.items.isEmpty)
    }

    @Test(
        "says after a sign-in in memory how to use another machine's, in a container",
        arguments: [(.noBus, true), (.noProvider, true), (.noCollection, false), (nil, false)]
            as [(KeyringError?, Bool)])
    func container(absence: KeyringError?, isTold: Bool) throws {
        doubles.keyring.absence = absence
        for isInContainer in [true, false] {
            doubles.isInContainer = isInContainer
            try doubles.keyring.items.forEach(doubles.keyring.remove)
            helper.approve()
            _ = try get()
            let share = notices.filter { if case .shareInstead = $0 { true } else { false } }
            #expect(share.count == (isTold ? 1 : 0))
        }
        for isInContainer in [true, false] {
            doubles.isInContainer = isInContainer
            let text = try verb.run("status", "--offline").text
            #expect(text.contains { $0.contains("git credential-gitspace share box") } == (isInContainer && isTold))
        }
    }

    // MARK: The account

    /// Queues a sign-in that is approved at once, and the answers of `/user`.
    private func approved(_ users: HTTPResponse...) {
        ([GitHubAnswers.device, GitHubAnswers.oauthAppToken] + users).forEach(doubles.transport.answer)
    }

    private static let revocation = "https://api.github.com/credentials/revoke"

    @Test(
        "reports another account than the one that was asked for, and revokes its token, whether that succeeds or not",
        arguments: [202, 500, nil])
    func takenBack(status: Int?) throws {
        approved(GitHubAnswers.user("mallory"))
        if let status { respond(.json("{}", status: status)) } else { doubles.transport.fail(.timedOut) }
        var end: Int64?
        doubles.transport.beforeAnswer = { [doubles] request in
            guard request.address == Self.revocation else { return }
            end = request.deadline.map { $0 - doubles.clock.uptimeMilliseconds }
        }
        #expect(try get(as: "octocat") == "quit=1\n")
        #expect(requests.last?.address == Self.revocation && doubles.transport.isExhausted)
        #expect(requests.last?.body == #"{"credentials":["gho_16C7e42F292c6912E7710c838347Ae178B4a"]}"#)
        #expect(end == 5_000 && doubles.keyring.items.isEmpty)
        let place = AccountRequest.repository(.folder(nil), remote: "origin", "github.com/OWNER/REPOSITORY")
        #expect(doubles.errors == [.wrongAccount(asked: "octocat", got: "mallory", host: "github.com", place)])
    }

    @Test(
        "does not revoke a wrong account's token if that account is, or may be, stored here, even in a locked item",
        arguments: ["MALLORY", "x-access-token"], [true, false])
    func notTakenBack(stored: String, isLocked: Bool) throws {
        helper.stored(expiresIn: 3_600, user: stored)
        (doubles.keyring.isLocked, doubles.keyring.asksForEach) = (isLocked, isLocked)
        approved(GitHubAnswers.user("mallory"))
        #expect(try get(as: "octocat") == "quit=1\n")
        #expect(doubles.transport.isExhausted && doubles.keyring.items.count == 1)
    }

    @Test("finds the token under the name that git asks for, in any letter case")
    func letterCase() throws {
        approved(GitHubAnswers.user("octocat"))
        let first = try get(as: "Octocat")
        #expect(first.contains("gho_16C7"))
        #expect(try get(as: "Octocat") == first && prompts.count == 1)
    }

    @Test("asks for the name three times, a second apart, and then stores another name than the one that was asked for")
    func unknown() throws {
        approved(.page(status: 500), .page(status: 500), .page(status: 500), .json("{}", status: 202))
        #expect(try get(as: "octocat") == "quit=1\n" && doubles.keyring.items.isEmpty)
        approved(.page(status: 500), .page(status: 500), .page(status: 500))
        #expect(try get().hasPrefix("username=x-access-token\npassword=gho_16C7"))
        #expect(doubles.ui.waits.suffix(3) == [6_000, 1_000, 1_000] && doubles.keyring.items.count == 1)
    }

    @Test("does not store a token that the host rejects")
    func rejected() throws {
        approved(GitHubAnswers.badCredentials)
        #expect(try get() == "quit=1\n" && doubles.keyring.items.isEmpty)
        #expect(doubles.errors == [signInFailure(.tokenRejected)])
    }

    @Test("stores nothing if the person cancels while the host is asked for the account")
    func cancelled() throws {
        approved()
        doubles.transport.fail(.interrupted)
        #expect(try get() == "quit=1\n" && doubles.keyring.items.isEmpty && notices == [.cancelled])
    }

    @Test("takes an empty name as none")
    func emptyName() throws {
        approved(GitHubAnswers.user("octocat"))
        #expect(try get(as: "").contains("gho_16C7"))
    }
}
