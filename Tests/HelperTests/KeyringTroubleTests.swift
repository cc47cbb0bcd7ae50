import TestSupport
import Testing

/// Locked, absent, unreachable, dismissed and empty are five states; only an empty keyring leads to a sign-in.
@Suite("A keyring in trouble, and several of them")
struct KeyringTroubleTests: HelperSuite {
    let helper = HelperFixture()

    static let troubles: [KeyringError] = [
        .noBus, .foreignBus(.user(12_345)), .foreignBus(.address("tcp:")), .noProvider, .noCollection,
        .noSuchCollection("work"), .locked, .dismissed, .unresponsive(seconds: 5), .denied, .disconnected, .noPlugin,
        .other("a library's words"),
    ]

    private func nobodyWasAsked() -> Bool { requests.isEmpty && prompts.isEmpty && doubles.locks.wanted.isEmpty }

    @Test(
        "reports the error, asks nobody, and makes git stop on a host with sign-ins", arguments: troubles,
        [true, false])
    func trouble(error: KeyringError, isSignInHost: Bool) throws {
        doubles.keyring.fault = error
        #expect(try get(host: isSignInHost ? "github.com" : "example.com") == (isSignInHost ? "quit=1\n" : ""))
        #expect(doubles.errors == [.keyring(error)] && nobodyWasAsked())
    }

    @Test("does not tell git to stop if git may not ask anyway", arguments: ["0", "false"])
    func gitDoesNotAsk(value: String) throws {
        doubles.environment["GIT_TERMINAL_PROMPT"] = value
        doubles.keyring.fault = .locked
        #expect(try get().isEmpty && doubles.errors == [.keyring(.locked)])
    }

    @Test("prints nothing after Ctrl-C, unlocks and uses a locked item, and does not unlock another account's")
    func unlocked() throws {
        doubles.keyring.fault = .interrupted
        #expect(try get() == "quit=1\n" && get(host: "plain.example") == "quit=1\n" && doubles.errors.isEmpty)
        doubles.keyring.fault = nil
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        doubles.ui.canBeReached = false
        _ = try get(as: "alice")
        #expect(!doubles.keyring.calls.contains(.unlock))
        let before = doubles.keyring.calls.count
        #expect(try get().contains("ghp_1"))
        #expect(Array(doubles.keyring.calls.dropFirst(before)) == [.items, .unlock])
    }

    @Test("starts no sign-in if an item stays locked", arguments: [KeyringError.dismissed, .locked])
    func staysLocked(error: KeyringError) throws {
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = error
        #expect(try get() == "quit=1\n" && doubles.errors == [.keyring(error)])
        #expect(nobodyWasAsked() && doubles.keyring.items.count == 1)
    }

    @Test("checks that the keyring is writable before a sign-in begins", arguments: troubles)
    func unwritable(error: KeyringError) throws {
        doubles.keyring.writeFault = error
        #expect(try get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(error)] && requests.isEmpty && prompts.isEmpty)
    }

    @Test("loses nothing and prints only the protocol, whichever call fails", arguments: 1...7)
    func anyCall(number: Int) throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.faultAtCall = (number, .disconnected)
        // A refresh takes four calls, so later ones are never made.
        if number >= 4 { respond(GitHubAnswers.gitHubAppToken) }
        let answer = try get()
        #expect(answer == "quit=1\n" || answer.contains("password=ghu_16C7"))
        #expect(doubles.keyring.items.count == 1 && doubles.locks.held == 0)
    }

    // MARK: Several keyrings, and keyrings that list nothing while locked

    /// Stores octocat in an open keyring, and hubot in a locked one that cannot be unlocked here.
    private func halfLocked(_ host: String = "github.com") {
        helper.stored(expiresIn: 3_600, host: host)
        helper.brought("ghp_hubot", host: host, user: "hubot")
        doubles.keyring.isLocked = true
        doubles.keyring.unlocked = [Array("octocat".utf8)]
        doubles.keyring.unlocking = .locked
        doubles.keyring.lockedCollections = ["work"]
    }

    @Test("get and erase unlock and name nothing else once the sign-in or the rejected token was found")
    func readable() throws {
        halfLocked()
        #expect(try get().contains("username=octocat\n"))
        doubles.requester = .person
        _ = try helper.run(.erase, "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old")
        #expect(users() == ["hubot"] && doubles.errors.isEmpty && !doubles.keyring.calls.contains(.unlock))
    }

    @Test("erase removes what it can read, and names a locked account only if the keyring shows its name")
    func eraseBeside() throws {
        halfLocked()
        helper.brought("ghp_hidden", user: "?")
        doubles.requester = .person
        _ = try helper.run(.erase)
        #expect(users() == ["hubot", "?"])
        #expect(sentences.first?.hasPrefix("hubot could not be removed for github.com: ") == true, "\(sentences)")
    }

    @Test("store replaces a password in its own keyring, although that is locked and another is open for new items")
    func store() throws {
        helper.brought("old", host: "plain.example")
        doubles.keyring.isLocked = true
        _ = try helper.run(.store, "protocol=https\nhost=plain.example\nusername=octocat\npassword=new")
        #expect(doubles.errors.isEmpty && doubles.keyring.items.count == 1)
        #expect(doubles.keyring.calls.contains(.unlock) && !doubles.keyring.calls.contains(.checkWritable))
    }

    @Test(
        "status shows readable accounts, and names the locked keyring, or fails with the reason if it can read nothing",
        arguments: [nil, "github.com"])
    func status(host: String?) throws {
        halfLocked()
        let words = ["status", "--offline"] + (host.map { [$0] } ?? [])
        let (status, text) = try verb.run(words)
        #expect(status == .done && doubles.errors.isEmpty)
        let octocat = "  Signed in as octocat (keyring), not checked: --offline"
        let work = "The keyring work is locked; accounts in it are not shown."
        #expect(text.filter { $0.contains("Signed in") || $0.contains("keyring ") } == [octocat, work])
        // A closed prompt is not shown again for each host.
        #expect(doubles.keyring.calls.count { $0 == .unlock } == 1)
        doubles.keyring.unlocked = []
        #expect(try verb.run(words) == (.failed, []) && doubles.errors == [.keyring(.locked)])
    }

    @Test("status shows readable accounts beside a locked keyring that lists nothing")
    func besideHiding() throws {
        halfLocked("git.example")
        doubles.keyring.hidesLocked = true
        let text = try verb.run(["status", "--offline"]).text
        #expect(doubles.errors.isEmpty && text.contains { $0.contains("octocat") }, "\(text)")
    }

    @Test("unlocks a keyring that lists nothing before the search if get may ask, or else reports no missing sign-in")
    func hiding() throws {
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        doubles.keyring.hidesLocked = true
        #expect(try get().contains("ghp_1"))
        #expect(doubles.keyring.calls == [.items, .checkWritable, .items])
        (doubles.keyring.isLocked, doubles.keyring.unlocking) = (true, .locked)
        #expect(try get() == "quit=1\n")
        _ = try helper.run(.erase)
        #expect(try verb.run("status", "--offline").status == .failed)
        #expect(doubles.errors == [.keyring(.locked), .notErased(.locked), .keyring(.locked)])
        #expect(users() == ["octocat"])
    }

    @Test("store asks for no access just to compare", arguments: ["github.com", "plain.example"])
    func storeBehindConfirmation(host: String) throws {
        helper.brought("ghp_1", host: host)
        doubles.keyring.isLocked = true
        doubles.keyring.asksForEach = true
        _ = try helper.run(.store, "protocol=https\nhost=\(host)\nusername=octocat\npassword=ghp_1")
        #expect(doubles.errors.isEmpty && notices.isEmpty)
        #expect(!doubles.keyring.calls.contains(.unlock) && !doubles.keyring.calls.contains(.save))
    }

    @Test("erase by git asks for no access if it can remember the rejected token")
    func eraseBehindConfirmation() throws {
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        doubles.keyring.asksForEach = true
        _ = try helper.run(.erase, "protocol=https\nhost=github.com\nusername=octocat\npassword=ghp_1")
        #expect(!doubles.keyring.calls.contains(.unlock) && doubles.errors.isEmpty)
        doubles.keyring.isLocked = false
        doubles.ui.canBeReached = false
        #expect(try !get().contains("ghp_1"))
    }

    @Test("status shows a rejected token as rejected, and not as expired in 1970", arguments: [nil, "ghr_1"])
    func rejectedTokenIsNoDate(refreshToken: String?) throws {
        helper.stored(expiresIn: 3_600, refreshToken: refreshToken)
        doubles.refusedTokens.remember(
            Secret("ghu_old"), for: .account(Array("octocat".utf8), on: HostName(name: "github.com")))
        let text = try verb.run("status", "github.com", "--offline").text
        #expect(text.contains("github.com") && !text.contains { $0.contains("1970") })
        _ = try verb.run("status", "github.com", "--offline", "--json")
        #expect(verb.printed.contains("\"state\": \"\(refreshToken == nil ? "revoked" : "expired")\""))
        #expect(verb.printed.contains("\"expires_at\": null"))
    }
}
