import TestSupport
import Testing

/// git stores the password of a URL even if no server asked for it, so a `store` may come from a repository.
@Suite("store: credentials that a repository's URLs bring")
struct HostileStoreTests: HelperSuite {
    let helper = HelperFixture()

    private func store(
        _ password: String, as user: String = "octocat", path: String? = nil, host: String = "github.com"
    ) throws {
        try helper.run(
            .store,
            "protocol=https\nhost=\(host)\nusername=\(user)\npassword=\(password)" + (path.map { "\npath=\($0)" } ?? "")
        )
    }

    private var saves: Int { doubles.keyring.calls.filter { $0 == .save }.count }

    @Test(
        "keeps a grant that is valid or can be renewed, and prints how to replace it",
        arguments: [(3_600, "ghr_old"), (3_600, nil), (-10, "ghr_old"), (nil, nil)] as [(Int64?, String?)],
        [nil, "octo/public.git"])
    func grant(state: (Int64?, String?), path: String?) throws {
        helper.stored(expiresIn: state.0, refreshToken: state.1)
        let before = doubles.keyring.onlyText
        try store("garbage", path: path)
        #expect(doubles.keyring.onlyText == before && saves == 0)
        #expect(notices == [.signInKept(host: "github.com", account: "octocat")] && doubles.errors.isEmpty)
    }

    @Test("keeps a grant of a configured host, with or without a path", arguments: [nil, "a.git"])
    func configuredHost(path: String?) throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        helper.stored(expiresIn: 3_600, host: "ghe.example")
        let before = doubles.keyring.onlyText
        try store("garbage", path: path, host: "ghe.example")
        #expect(doubles.keyring.onlyText == before)
        // The grant stays even if the configuration is gone, because the item itself says that it is a sign-in.
        doubles.configuration = []
        try store("garbage", path: path, host: "ghe.example")
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("keeps a grant whose token was refused but can be renewed")
    func refusedGrant() throws {
        helper.stored(expiresIn: 3_600)
        try helper.run(
            .erase,
            "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old\nstate[]=\(helper.mark("ghu_old"))")
        let before = doubles.keyring.onlyText
        try store("garbage")
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("does not overwrite an item that cannot be read, or unlock a locked one, which may be a grant")
    func unreadable() throws {
        doubles.keyring.put(
            Secret("gho\r"),
            under: ItemAttributes(
                protocol: Array("https".utf8), host: HostName(name: "github.com"), user: Array("octocat".utf8)))
        try store("garbage")
        #expect(saves == 0 && doubles.errors == [.notSaved(.keyring(.denied))])
        helper.stored(expiresIn: 3_600)
        doubles.keyring.isLocked = true
        try store("garbage")
        #expect(!doubles.keyring.calls.contains(.unlock) && saves == 0)
        #expect(doubles.errors.last == .notSaved(.keyring(.locked)))
    }

    @Test("stores nothing without the account's lock, because a sign-in may be about to save")
    func noLock() throws {
        doubles.locks.fault = .impossible
        try store("ghp_typed")
        #expect(saves == 0 && doubles.errors == [.notSaved(.lockImpossible)])
        try store("p", host: "plain.example")
        #expect(doubles.keyring.onlyText == "p")
    }

    @Test("keeps a grant that was saved while store waited for the lock")
    func savedMeanwhile() throws {
        doubles.locks.whenAcquired = { helper.stored(expiresIn: 3_600) }
        try store("garbage")
        #expect(password() == "ghu_old")
        #expect(saves == 0)
    }

    @Test(
        "stores another account's token, and never returns it to a request without a name", arguments: [nil, "x.git"])
    func outranking(path: String?) throws {
        helper.stored(expiresIn: -10)
        try store("ghp_mallory", as: "mallory", path: path)
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().hasPrefix("username=octocat\n"))
        #expect(try get(path: "x.git").hasPrefix("username=octocat\n"))
        #expect(try get(as: "mallory").contains("ghp_mallory") == true)
    }

    @Test("returns no planted token while the grant is locked")
    func outrankingLocked() throws {
        helper.stored(expiresIn: 3_600)
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = .locked
        doubles.keyring.unlocked = [Array("mallory".utf8)]
        helper.brought("ghp_mallory", user: "mallory")
        #expect(try get() == "quit=1\n" && doubles.errors == [.keyring(.locked)])
        // The token is returned for its own name; a plain store's token is returned as before.
        #expect(try get(as: "mallory").contains("ghp_mallory"))
        helper.brought("p", host: "plain.example", user: "mallory")
        helper.brought("q", host: "plain.example")
        #expect(try get(host: "plain.example").contains("password=p"))
    }

    @Test("keeps the account for requests without a name after a renewal and a new sign-in")
    func stable() throws {
        helper.stored(expiresIn: 3_600, user: "alice")
        helper.stored(expiresIn: -10, user: "octocat")
        respond(GitHubAnswers.gitHubAppToken)
        _ = try get(as: "octocat")
        #expect(try get().hasPrefix("username=alice\n"))
        let since = doubles.keyring.items.map(\.created)
        #expect(since.count == 2)
        // alice's token is renewed, and her account stays the first.
        helper.stored(expiresIn: -10, user: "alice")
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().hasPrefix("username=alice\n"))
    }
}
