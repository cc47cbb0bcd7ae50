import CredentialCore
import Helper
import Messages
import TestSupport
import Testing

/// git stores what stood in a URL although no server asked for it, so a `store` is a repository's word.
@Suite("store: what a repository says in its URLs")
struct HostileStoreTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func store(
        _ password: String, as user: String = "octocat", path: String? = nil, host: String = "github.com"
    )
        throws
    {
        try helper.run(
            .store,
            "protocol=https\nhost=\(host)\nusername=\(user)\npassword=\(password)" + (path.map { "\npath=\($0)" } ?? "")
        )
    }

    private var saves: Int { doubles.keyring.calls.filter { $0 == .save }.count }

    @Test(
        "a grant that lives, or can be renewed, stays as it is, and the person is told how to replace it",
        arguments: [(3_600, "ghr_old"), (3_600, nil), (-10, "ghr_old"), (nil, nil)] as [(Int64?, String?)],
        [nil, "octo/public.git"])
    func grant(state: (Int64?, String?), path: String?) throws {
        helper.stored(expiresIn: state.0, refreshToken: state.1)
        let before = doubles.keyring.onlyText
        try store("garbage", path: path)
        #expect(doubles.keyring.onlyText == before && saves == 0)
        #expect(doubles.ui.notices == [.signInKept(host: "github.com", account: "octocat")])
        #expect(doubles.errors.isEmpty)
    }

    @Test("so does one of a host that the person has configured, with or without a path", arguments: [nil, "a.git"])
    func configuredHost(path: String?) throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        helper.stored(expiresIn: 3_600, host: "ghe.example")
        let before = doubles.keyring.onlyText
        try store("garbage", path: path, host: "ghe.example")
        #expect(doubles.keyring.onlyText == before)
        // Not even where the configuration has gone: what we signed in for tells itself.
        doubles.configuration = []
        try store("garbage", path: path, host: "ghe.example")
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("a grant whose token was refused, but can be renewed, stays")
    func refusedGrant() throws {
        helper.stored(expiresIn: 3_600)
        try helper.run(
            .erase,
            "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old\nstate[]=\(helper.mark("ghu_old"))")
        let before = doubles.keyring.onlyText
        try store("garbage")
        #expect(doubles.keyring.onlyText == before)
    }

    @Test("what may be a grant behind a lock is not overwritten, and nobody is asked to unlock it")
    func locked() throws {
        helper.stored(expiresIn: 3_600)
        doubles.keyring.isLocked = true
        try store("garbage")
        #expect(!doubles.keyring.calls.contains(.unlock) && saves == 0)
        #expect(doubles.errors == [.notSaved(.keyring(.locked))])
    }

    @Test("what cannot be read is not overwritten either")
    func unreadable() throws {
        doubles.keyring.put(
            Secret("gho\r"),
            under: ItemAttributes(
                protocol: Array("https".utf8), host: HostName(name: "github.com"),
                user: Array("octocat".utf8)))
        try store("garbage")
        #expect(saves == 0 && doubles.errors == [.notSaved(.keyring(.denied))])
    }

    @Test("without the lock of the account nothing is stored: a sign-in may be on its way into the keyring")
    func noLock() throws {
        doubles.locks.fault = .impossible
        try store("ghp_typed")
        #expect(saves == 0 && doubles.errors == [.notSaved(.lockImpossible)])
        try store("p", host: "plain.example")
        #expect(doubles.keyring.onlyText == "p")
    }

    @Test("what was saved while a store waited for the lock stays")
    func savedMeanwhile() throws {
        doubles.locks.whenAcquired = { helper.stored(expiresIn: 3_600) }
        try store("garbage")
        #expect(doubles.keyring.credential(of: "octocat")?.password.text == "ghu_old")
        #expect(saves == 0)
    }

    @Test(
        "somebody else's token is kept, and never becomes the answer to a request without a name",
        arguments: [nil, "x.git"])
    func outranking(path: String?) throws {
        helper.stored(expiresIn: -10)
        try store("ghp_mallory", as: "mallory", path: path)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try helper.get().hasPrefix("username=octocat\n"))
        #expect(
            try helper.run(.get, "protocol=https\nhost=github.com\npath=x.git").hasPrefix("username=octocat\n"))
        #expect(try helper.get(as: "mallory").contains("ghp_mallory") == true)
    }

    @Test("nor while the grant is locked")
    func outrankingLocked() throws {
        helper.stored(expiresIn: 3_600)
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = .locked
        doubles.keyring.unlocked = [Array("mallory".utf8)]
        helper.brought("ghp_mallory", user: "mallory")
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(.locked)])
        // It can be had by its name, and a plain store's is had as ever.
        #expect(try helper.get(as: "mallory").contains("ghp_mallory"))
        helper.brought("p", host: "plain.example", user: "mallory")
        helper.brought("q", host: "plain.example")
        #expect(try helper.run(.get, "protocol=https\nhost=plain.example").contains("password=p"))
    }

    @Test("with no grant there, what a person types is kept as ever")
    func typed() throws {
        try store("ghp_typed")
        #expect(try helper.get().contains("ghp_typed"))
        try store("ghp_other")
        #expect(try helper.get().contains("ghp_other"))
    }

    @Test("which account a request without a name means does not change with a renewal, or with a new sign-in")
    func stable() throws {
        helper.stored(expiresIn: 3_600, user: "alice")
        helper.stored(expiresIn: -10, user: "octocat")
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        _ = try helper.get(as: "octocat")
        #expect(try helper.get().hasPrefix("username=alice\n"))
        let since = doubles.keyring.items.map(\.created)
        #expect(since.count == 2)
        // alice's is renewed, and is still the first.
        helper.stored(expiresIn: -10, user: "alice")
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try helper.get().hasPrefix("username=alice\n"))
    }
}
