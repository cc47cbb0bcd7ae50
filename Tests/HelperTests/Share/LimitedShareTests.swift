import CredentialCore
import Helper
import Providers
import Share
import TestSupport
import Testing

/// The person's own token is stored for the same host and account in each of these.
@Suite("share: a token for one repository, among doubles")
struct LimitedShareTests {
    private let fixture: ShareFixture
    private let limit: RepositoryLimit
    private let request = "protocol=https\nhost=github.com\nusername=octocat"

    init() throws {
        limit = RepositoryLimit(
            share: try #require(ShareName("box")), repository: "acme/app", isReadOnly: false)
        fixture = ShareFixture(as: "octocat", limit: limit)
        fixture.helper.stored(expiresIn: 3_600)
    }

    private func store(_ password: String = "ghu_limited", object: String = "box:write:acme/app") {
        var credential = StoredCredential(
            username: Array("octocat".utf8), password: Secret(password),
            passwordExpiryUTC: RecordingClock.start + 3_600, oauthRefreshToken: Secret("ghr_limited"))
        credential.grant = StoredCredential.Grant(clientID: "Iv1.0123456789abcdef")
        fixture.doubles.repositoryKeyring.put(credential, for: "github.com", path: object)
    }

    /// Besides what is listed, the host counts so many others.
    private func answerReach(_ repositories: String..., otherInstallations: Int = 0, others: Int = 0) {
        fixture.doubles.transport.answer(
            .json(
                "{\"total_count\":\(1 + otherInstallations),"
                    + #""installations":[{"id":7,"account":{"login":"acme"},"permissions":{}}]}"#))
        guard otherInstallations == 0 else { return }
        let list = repositories.map { "{\"full_name\":\"\($0)\"}" }.joined(separator: ",")
        fixture.doubles.transport.answer(
            .json("{\"total_count\":\(repositories.count + others),\"repositories\":[\(list)]}"))
    }

    @Test("it is tried once, and then answered as long as it is the same")
    func once() {
        store()
        answerReach("Acme/App")
        for _ in 0..<3 { #expect(fixture.ask("get", request).contains("password=ghu_limited\n")) }
        #expect(fixture.doubles.transport.requests.count == 2)
        store("ghu_second")
        answerReach("acme/app")
        #expect(fixture.ask("get", request).contains("password=ghu_second\n"))
        #expect(fixture.doubles.transport.isExhausted)
    }

    @Test(
        "one that reaches more is revoked and removed, and the person's own stays",
        arguments: ["acme/other", "beta/app"])
    func more(other: String) {
        store()
        answerReach("acme/app", other)
        fixture.doubles.transport.answer(HTTPResponse(status: 202))
        #expect(fixture.ask("get", request) == "quit=1\n")
        #expect(fixture.doubles.transport.requests.last?.address == "https://api.github.com/credentials/revoke")
        #expect(fixture.doubles.repositoryKeyring.items.isEmpty)
        #expect(fixture.ask("get", request) == "quit=1\n")
        #expect(fixture.refusals == [.reachesMore, .ended])
        #expect(fixture.doubles.keyring.credential(of: "octocat")?.password.text == "ghu_old")
    }

    @Test("while nobody can tell what it reaches, it is not given, and asked about once a minute")
    func untried() {
        store()
        fixture.doubles.transport.fail(.unreachable)
        for _ in 0..<5 { #expect(fixture.ask("get", request) == "quit=1\n") }
        #expect(fixture.doubles.transport.requests.count == 1 && fixture.refusals.allSatisfy { $0 == .untried })
        fixture.doubles.clock.advance(milliseconds: 60_000)
        answerReach()
        #expect(fixture.ask("get", request) == "quit=1\n" && fixture.refusals.last == .reachesNothing)
        fixture.doubles.clock.advance(milliseconds: 60_000)
        answerReach("acme/app")
        #expect(fixture.ask("get", request).contains("password=ghu_limited\n"))
    }

    @Test("a list of which only a part has come tells nothing", arguments: [(1, 0), (0, 1)])
    func parts(otherInstallations: Int, others: Int) {
        store()
        answerReach("acme/app", otherInstallations: otherInstallations, others: others)
        #expect(fixture.ask("get", request) == "quit=1\n" && fixture.refusals == [.untried])
        #expect(fixture.doubles.transport.isExhausted && fixture.doubles.repositoryKeyring.items.count == 1)
    }

    @Test(
        "the token of another share, of another repository or with another right is not its own",
        arguments: ["second:write:acme/app", "box:write:acme/other", "box:read:acme/app", "acme/app", ""])
    func others(object: String) {
        store(object: object)
        #expect(fixture.ask("get", request) == "quit=1\n" && fixture.refusals == [.ended])
        #expect(fixture.doubles.transport.requests.isEmpty)
    }

    @Test("the locks of its refresh are not those of the account, nor of another repository")
    func locks() throws {
        let own = LockName.account(Array("octocat".utf8), on: HostName(name: "github.com"))
        let other = RepositoryLimit(share: limit.share, repository: "acme/other", isReadOnly: false)
        for limit in [limit, other] {
            _ = try Dependencies.forTests(fixture.doubles).limited(to: limit).locks
                .acquire(own, within: 0, whileWaiting: { false })
        }
        let wanted = fixture.doubles.locks.wanted
        #expect(Set(wanted).count == 2 && !wanted.contains(own.text))
        Dependencies.forTests(fixture.doubles).limited(to: limit).refusedTokens.remember(Secret("ghu"), for: own)
        #expect(fixture.doubles.refusedTokens.remembered.map(\.account.text) == [wanted[0]])
    }

    @Test(
        "whether an app's own token may write, its permissions tell",
        arguments: [("contents:read metadata:read", TokenReach.only), ("contents:write", .writes), ("", .writes)])
    func permissions(scope: String, reach: TokenReach) throws {
        let limit = RepositoryLimit(share: limit.share, repository: "acme/app", isReadOnly: true)
        fixture.doubles.transport.answer(
            .json(#"{"total_count":1,"repositories":[{"full_name":"acme/app"}]}"#))
        #expect(try token(limit).reach(of: installations(scope)) == reach)
        #expect(fixture.doubles.transport.isExhausted)
    }

    private func installations(_ scope: String) -> StoredCredential {
        var credential = StoredCredential(
            username: Array("x-access-token".utf8), password: Secret("ghs_limited"),
            passwordExpiryUTC: RecordingClock.start + 3_600)
        credential.grant = StoredCredential.Grant(
            clientID: "4711", scope: scope.isEmpty ? nil : scope, installation: "acme")
        return credential
    }

    private func token(_ limit: RepositoryLimit) throws -> LimitedToken {
        let dependencies = Dependencies.forTests(fixture.doubles)
        let signIn = try #require(
            try ContextResolver(with: dependencies).signInContext(of: HostName(name: "github.com")))
        return LimitedToken(limit, signIn, with: dependencies)
    }

    @Test("an app's own token that cannot be revoked is kept, so that it can be tried again")
    func kept() throws {
        fixture.doubles.repositoryKeyring.put(
            installations("contents:write"), for: "github.com", path: "box:write:acme/app")
        fixture.doubles.transport.answer(HTTPResponse(status: 503))
        #expect(try token(limit).end() == .kept)
        #expect(fixture.doubles.repositoryKeyring.items.count == 1)
    }

    @Test("its end, whatever the server says", arguments: [(202, true), (503, false), (422, false)])
    func end(status: Int, isEnded: Bool) throws {
        store()
        fixture.doubles.transport.answer(HTTPResponse(status: status))
        if !isEnded { fixture.doubles.transport.answer(HTTPResponse(status: 503)) }
        #expect(try token(limit).end() == (isEnded ? .ended : .kept))
        #expect(fixture.doubles.repositoryKeyring.items.isEmpty == isEnded && fixture.doubles.locks.held == 0)
        #expect(fixture.doubles.keyring.items.count == 1)
    }

    @Test("one that is locked is unlocked for its end, and kept where that fails", arguments: [true, false])
    func lockedEnd(opens: Bool) throws {
        store()
        fixture.doubles.repositoryKeyring.isLocked = true
        if opens {
            fixture.doubles.transport.answer(HTTPResponse(status: 202))
        } else {
            fixture.doubles.repositoryKeyring.unlocking = .locked
        }
        #expect(try token(limit).end() == (opens ? .ended : .kept))
        #expect(fixture.doubles.repositoryKeyring.items.isEmpty == opens && fixture.doubles.transport.isExhausted)
    }

    @Test("a path is the repository's, its wiki's, or that of their large files")
    func paths() {
        for path in ["acme/app", "ACME/App.git", "acme/app.wiki", "acme/app.wiki.git", "acme/app.git/info/lfs"] {
            #expect(limit.contains(Array(path.utf8)), "\(path)")
        }
        for path in [
            "", "acme", "acme/apple", "acme/app/", "/acme/app", "acme/app.git/info/lfs/../..", "acme/app\u{0}",
        ] {
            #expect(!limit.contains(Array(path.utf8)), "\(path)")
        }
    }
}
