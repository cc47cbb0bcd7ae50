import TestSupport
import Testing

@Suite("The verb logout")
struct LogoutTests: HelperSuite {
    let helper = HelperFixture()

    /// Returns the lines that a person reads, or `nil` if the logout failed.
    private func logout(_ options: String...) throws -> [String]? {
        let (status, text) = try verb.run(["logout", "github.com"] + options)
        return status == .done ? text : nil
    }

    @Test("removes the only account without a request, and shows where to revoke a valid token's access")
    func onlyAccount() throws {
        helper.stored(expiresIn: nil, clientID: "Ov23liExample")
        let page = "  https://github.com/settings/connections/applications/Ov23liExample"
        let stays = "The token stays valid until you revoke the app's access:"
        #expect(try logout() == ["Signed out of github.com: removed octocat from the keyring.", stays, page])
        #expect(doubles.keyring.items.isEmpty && requests.isEmpty)
        helper.brought("ghp_dead", expiresIn: -1)
        #expect(try logout()?.count == 1)
    }

    @Test("removes one of several accounts only by its name or with --all")
    func severalAccounts() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        #expect(try logout() == nil && doubles.keyring.items.count == 2)
        #expect(try logout("--username", "hubot")?.first == "Signed out of github.com: removed hubot from the keyring.")
        #expect(credential() != nil)
        helper.stored(expiresIn: nil, user: "hubot")
        #expect(try logout("--all") != nil && doubles.keyring.items.isEmpty)
    }

    @Test("removes the account that the person picks by number or name", arguments: ["1", "octocat", "OCTOCAT"])
    func picked(answer: String) throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        verb.questions.answers = ["zoe", answer]
        let lines = try logout()
        #expect(
            lines?.prefix(4) == ["Accounts for github.com:", "  1  octocat", "  2  hubot", "  3  all of them"],
            "\(lines ?? [])")
        #expect(lines?.contains("Signed out of github.com: removed octocat from the keyring.") == true)
        #expect(doubles.errors.map(\.code) == [.accountNotStored])
        #expect(verb.questions.asked == ["Number or name: ", "Number or name: "])
        #expect(credential() == nil && credential(of: "hubot") != nil)
    }

    @Test("removes all accounts if the person picks all")
    func pickedAll() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        verb.questions.answers = ["3"]
        let said = try logout()
        #expect(said?.contains("Signed out of github.com: removed octocat, hubot from the keyring.") == true)
        #expect(said?.contains("The tokens stay valid until you revoke the app's access:") == true)
        #expect(doubles.keyring.items.isEmpty && doubles.errors.isEmpty)
    }

    @Test("removes nothing after Ctrl-C, and asks neither without a terminal nor in CI")
    func notPicked() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        #expect(try verb.run("logout", "github.com").status == .cancelled)
        verb.questions.isInputTyped = false
        #expect(try logout() == nil)
        verb.questions.isInputTyped = true
        doubles.environment["CI"] = "true"
        #expect(try logout() == nil)
        #expect(
            doubles.errors == Array(repeating: .severalAccounts(host: "github.com", ["octocat", "hubot"]), count: 2))
        #expect(doubles.keyring.items.count == 2 && verb.questions.asked.count == 1)
    }

    @Test("reports that nothing is stored, with the command that shows the accounts, or an unknown account with theirs")
    func anotherAccount() throws {
        #expect(try logout() == nil && sentences == ["no stored credentials for github.com"])
        #expect(hints == ["see what is stored:", "  git credential-gitspace status"])
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        #expect(try logout("--username", "zoe") == nil && doubles.keyring.items.count == 2)
        #expect(sentences.last == "the account zoe is not stored for github.com")
        let commands = ["octocat", "hubot"].map { "  git credential-gitspace logout github.com \($0)" }
        #expect(hints == ["stored accounts:"] + commands)
    }

    @Test("waits for a refresh under way, and fails if it cannot")
    func refreshUnderWay() throws {
        helper.stored(expiresIn: 3_600)
        _ = try logout()
        #expect(doubles.journal.entries.prefix(4) == ["keyring items", "lock", "keyring remove", "unlock"])
        for (fault, error) in [
            (LockError.timedOut, "timed out while waiting"), (.impossible, "no safe folder for lock files"),
        ] {
            helper.stored(expiresIn: 3_600)
            doubles.locks.fault = fault
            #expect(try logout() == nil)
            #expect(told.contains { $0.contains(error) } && doubles.keyring.items.count == 1)
        }
        // A token that is never renewed needs no lock.
        helper.stored(expiresIn: 3_600, refreshToken: nil)
        #expect(try logout() != nil && doubles.keyring.items.isEmpty)
    }

    @Test("names the accounts that were removed, and those that were not with hints")
    func halfDone() throws {
        for user in ["mona", "octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        // The second removal fails.
        var removals = 0
        doubles.keyring.beforeCall = { [doubles] call in
            removals += call == .remove ? 1 : 0
            doubles.keyring.fault = call == .remove && removals == 2 ? .disconnected : nil
        }
        let (status, text) = try verb.run("logout", "github.com", "--all")
        let kept = try #require(users().first)
        let gone = ["mona", "octocat", "hubot"].filter { $0 != kept }
        #expect(status == .failed && doubles.keyring.items.count == 1)
        #expect(text.first == "Signed out of github.com: removed \(gone.joined(separator: ", ")) from the keyring.")
        let failure = "could not be removed for github.com: the keyring closed the connection while answering"
        #expect(told.first == "\(kept) \(failure)")
    }

    @Test("keeps an account whose lock is taken, removes the others, and suggests no sign-in")
    func halfLocked() throws {
        helper.stored(expiresIn: nil, refreshToken: nil, user: "mona")
        helper.stored(expiresIn: nil, user: "octocat")
        doubles.locks.fault = .impossible
        let (status, text) = try verb.run("logout", "github.com", "--all")
        #expect(status == .failed && doubles.keyring.items.map(\.attributes.user) == [Array("octocat".utf8)])
        #expect(text.first == "Signed out of github.com: removed mona from the keyring.")
        #expect(told.first?.hasPrefix("octocat could not be removed for github.com: no safe folder") == true)
        doubles.locks.fault = .timedOut
        #expect(try verb.run("logout", "github.com").status == .failed)
        let busy = "octocat could not be removed for github.com: timed out while waiting for another sign-in or refresh"
        #expect(told.suffix(3) == [busy, "try again:", "  git credential-gitspace logout github.com octocat"])
    }

    @Test("names every account that stays after Ctrl-C, and makes no further call to the keyring")
    func interrupted() throws {
        for user in ["mona", "octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        doubles.keyring.beforeCall = { [doubles] call in
            doubles.keyring.fault = call == .remove && doubles.keyring.calls.contains(.remove) ? .interrupted : nil
        }
        let (status, text) = try verb.run("logout", "github.com", "--all")
        #expect(status == .failed && doubles.keyring.items.count == 2)
        #expect(text.first?.hasPrefix("Signed out of github.com: removed ") == true)
        let kept = doubles.keyring.items.compactMap { $0.attributes.user.map { String(decoding: $0, as: UTF8.self) } }
        #expect(kept.allSatisfy { told.first?.contains($0) == true } && told.first?.hasSuffix(": interrupted") == true)
        #expect(doubles.keyring.calls.count { $0 == .remove } == 2)
    }

    @Test("reports a keyring that fails, and not an empty one")
    func keyringFault() throws {
        helper.stored(expiresIn: nil)
        doubles.keyring.fault = .unresponsive(seconds: 5)
        #expect(try logout() == nil && doubles.errors == [.keyring(.unresponsive(seconds: 5))])
    }

    @Test(
        "shows the page that deletes a personal access token, or the list of apps for other tokens",
        arguments: [
            ("ghp_0123", "https://github.com/settings/tokens"),
            ("github_pat_0123", "https://github.com/settings/personal-access-tokens"),
            ("gho_0123", "https://github.com/settings/applications"),
            ("ghu_0123", "https://github.com/settings/apps/authorizations"),
        ])
    func pages(token: String, page: String) throws {
        helper.brought(token)
        let lines = try #require(try logout())
        #expect(lines.last == "  " + page)
        #expect(lines.contains("The token stays valid until you delete it:") == (token.contains("p")))
    }

    @Test("prints a host with control characters escaped")
    func escapedHost() throws {
        let host = "a\u{202e}\u{9b};id"
        try helper.run(.store, "protocol=https\nhost=\(host)\nusername=u\npassword=p")
        #expect(try verb.run("logout", host).text.first?.contains("a\\xe2\\x80\\xae\\xc2\\x9b;id") == true)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("names the setting that still selects the removed account")
    func defaultAccount() throws {
        verb.files.texts[.global] = "[credential \"https://github.com\"]\n\tusername = zoe\n"
        for user in ["zoe", "hubot", "octocat"] { helper.stored(expiresIn: nil, user: user) }
        #expect(try logout("--username", "hubot")?.contains { $0.contains("zoe") } == false)
        let lines = try #require(try logout("--username", "zoe"))
        let asks = "git asks for zoe, which is not signed in. It is set here:"
        let place = "  credential.https://github.com.username (in /global)"
        let command = "  git credential-gitspace switch github.com"
        #expect(lines.suffix(4) == [asks, place, "To choose another account:", command], "\(lines)")
        // With no account left, the command removes the setting.
        verb.files.texts[.global] = "[credential \"https://github.com\"]\n\tusername = octocat\n"
        #expect(try logout()?.last == "  git credential-gitspace switch github.com --unset")
    }

    private static let accepted = HTTPResponse(status: 202)

    /// Stores octocat's token, and gives gh the same one.
    private func shareToken() {
        helper.stored(expiresIn: nil, refreshToken: nil)
        verb.foreignKeyring.put("ghu_old", ("service", "gh:github.com"), ("username", "octocat"))
    }

    @Test("revokes the shared token only if the person agrees", arguments: ["y", "n", "", nil])
    func asked(answer: String?) throws {
        shareToken()
        verb.questions.answers = answer.map { [$0] } ?? []
        if answer == "y" { respond(Self.accepted) }
        let end = try verb.run("logout", "github.com", "--revoke")
        let question = "gh has the same token of octocat, and could not use it any more. Revoke it? [y/N] "
        #expect(verb.questions.asked == [question])
        #expect(end.status == (answer == "y" ? .done : .cancelled))
        #expect(doubles.keyring.items.isEmpty == (answer == "y"))
        if answer != "y" { #expect(end.text == ["Nothing was changed."] && requests.isEmpty) }
    }

    @Test("asks about the shared token of each account, and revokes none after one refusal")
    func askedOfEach() throws {
        shareToken()
        helper.stored(expiresIn: nil, refreshToken: nil, user: "hubot", password: "ghu_hubot")
        verb.foreignKeyring.put("ghu_hubot", ("service", "gh:github.com"), ("username", "hubot"))
        verb.questions.answers = ["y", "n"]
        #expect(try verb.run("logout", "github.com", "--revoke", "--all").status == .cancelled)
        #expect(verb.questions.asked.count == 2 && requests.isEmpty && doubles.keyring.items.count == 2)
    }

    @Test("fails and names --force, and --all if it was used, without a terminal; asks nothing with --force")
    func forced() throws {
        shareToken()
        verb.questions.canAsk = false
        #expect(try verb.run("logout", "github.com", "--revoke").status == .failed)
        #expect(doubles.errors == [.tokenIsShared(with: "gh", account: "octocat", host: "github.com", " octocat")])
        #expect(hints.last == "  git credential-gitspace logout github.com octocat --revoke --force")
        #expect(try verb.run("logout", "github.com", "--revoke", "--all").status == .failed)
        let command = "  git credential-gitspace logout github.com --all"
        #expect(hints.filter { $0.hasPrefix(" ") } == [command, command + " --revoke --force"])
        #expect(doubles.keyring.items.count == 1 && requests.isEmpty)
        respond(Self.accepted)
        #expect(try verb.run("logout", "github.com", "--revoke", "--force").status == .done)
        #expect(doubles.keyring.items.isEmpty && verb.questions.asked.isEmpty)
    }

    @Test("asks nothing if the other tool's token is another one, or if the token is only removed")
    func otherToken() throws {
        shareToken()
        verb.foreignKeyring.items = []
        verb.foreignKeyring.put("gho_other", ("service", "gh:github.com"), ("username", "octocat"))
        respond(Self.accepted)
        #expect(try verb.run("logout", "github.com", "--revoke").status == .done)
        shareToken()
        #expect(try verb.run("logout", "github.com").status == .done)
        #expect(verb.questions.asked.isEmpty && doubles.keyring.items.isEmpty)
    }
}
