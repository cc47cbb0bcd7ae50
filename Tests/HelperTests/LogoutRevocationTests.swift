import TestSupport
import Testing

@Suite("The verb logout: --revoke")
struct LogoutRevocationTests: HelperSuite {
    let helper = HelperFixture()
    private static let accepted = HTTPResponse(status: 202)
    private static let appsPage = HTTPSAddress(host: "github.com", path: "/settings/apps/authorizations")

    private func logout(_ options: String..., host: String = "github.com") throws -> (
        status: Verbs.ExitStatus, text: [String]
    ) { try verb.run(["logout", host, "--revoke"] + options) }

    private static let revoked = "Revoked the token at github.com."
    private static let removed = "Signed out of github.com: removed octocat from the keyring."

    private func notRevoked(
        _ failure: UserFacingError, account: DisplayText = "octocat", host: DisplayText = "github.com",
        page: HTTPSAddress = appsPage, _ word: DisplayText? = nil
    ) -> UserFacingError { .notRevoked(account: account, host: host, failure, at: page, word ?? " \(word: account)") }

    private static func refusal(_ status: Int) -> UserFacingError {
        UserFacingError(.server, Message("%1$s refused the request (status %2$s)", "github.com" as DisplayText, status))
    }

    @Test("revokes both tokens in one request, and then removes them from the keyring")
    func accepted() throws {
        helper.stored(expiresIn: -10)
        respond(Self.accepted)
        let end = try logout()
        #expect(end.status == .done)
        #expect(end.text == [Self.removed, Self.revoked])
        #expect(requests.first?.body == #"{"credentials":["ghu_old","ghr_old"]}"#)
        #expect(doubles.keyring.items.isEmpty && doubles.errors.isEmpty)
        let revocation = "POST https://api.github.com/credentials/revoke"
        let steps = ["keyring items", "lock", "keyring items", revocation, "keyring remove", "unlock"]
        #expect(doubles.journal.entries.prefix(6) == steps[...])
    }

    @Test(
        "keeps and reports a token that the server did not revoke, and still accepts or cannot check",
        arguments: [
            ([200], refusal(200)), ([302], refusal(302)), ([404], refusal(404)), ([429], refusal(429)),
            ([500], refusal(500)), ([422, 200], refusal(422)), ([422, 403], refusal(422)), ([422, 500], refusal(422)),
            ([], TransportError.unreachable.words(host: "github.com")),
        ] as [([Int], UserFacingError)])
    func refused(statuses: [Int], failure: UserFacingError) throws {
        // The server is asked about a token only if it has no refresh token.
        helper.stored(expiresIn: 1_000, refreshToken: statuses.count > 1 ? nil : "ghr_old")
        let before = doubles.keyring.items.map(\.path)
        for status in statuses { respond(.json(#"{"login":"octocat"}"#, status: status)) }
        if statuses.isEmpty { doubles.transport.fail(.unreachable) }
        let end = try logout()
        #expect(end.status == .failed && end.text.isEmpty && doubles.errors == [notRevoked(failure)])
        #expect(doubles.keyring.items.map(\.path) == before)
    }

    @Test("removes the token with --force, and warns that it may still be valid")
    func forced() throws {
        helper.stored(expiresIn: nil)
        doubles.transport.fail(.unreachable)
        let end = try logout("--force")
        #expect(end.status == .done)
        let failure = "The token was not revoked: cannot reach github.com."
        let advice = ["The token stays valid until you revoke the app's access:", "  \(Self.appsPage.text)"]
        #expect(end.text == [Self.removed, failure] + advice)
        #expect(doubles.errors.isEmpty && doubles.keyring.items.isEmpty)
    }

    @Test("keeps only the accounts that the server did not revoke")
    func severalAccounts() throws {
        for user in ["octocat", "hubot", "mona"] { helper.stored(expiresIn: nil, user: user) }
        for status in [202, 500, 202] { respond(HTTPResponse(status: status)) }
        let end = try logout("--all")
        #expect(end.status == .failed)
        let kept = try #require(doubles.keyring.items.first?.attributes.user)
        let gone = ["octocat", "hubot", "mona"].filter { !$0.utf8.elementsEqual(kept) }
        #expect(doubles.keyring.items.count == 1 && gone.count == 2)
        let lines = gone.map { "Signed out of github.com: removed \($0) from the keyring." }
        #expect(Set(end.text) == Set(lines + [Self.revoked]))
        #expect(doubles.errors == [notRevoked(Self.refusal(500), account: DisplayText(untrusted: kept), " --all")])
    }

    @Test("reports what was removed if another token could be neither revoked nor removed")
    func forcedHalfDone() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        for _ in 1...2 { doubles.transport.fail(.unreachable) }
        doubles.keyring.beforeCall = { [doubles] call in
            doubles.keyring.fault = call == .remove && doubles.keyring.calls.contains(.remove) ? .denied : nil
        }
        let end = try logout("--all", "--force")
        #expect(end.status == .failed && end.text.first?.hasPrefix("Signed out of github.com: removed ") == true)
        #expect(sentences == ["\(users().joined()) could not be removed for github.com: the keyring denied access"])
    }

    @Test("keeps the token after Ctrl-C while it is tried or the server is discovered, even with --force")
    func interruptedTrial() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        respond(HTTPResponse(status: 422))
        doubles.transport.fail(.interrupted)
        #expect(try logout("--force").status == .failed && doubles.keyring.items.count == 1)
        let before = requests.count
        configureOpenID()
        helper.stored(expiresIn: nil, clientID: "c", host: "git.example")
        doubles.transport.fail(.interrupted)
        #expect(try logout("--force", host: "git.example").status == .failed)
        #expect(doubles.keyring.items.count == 2 && requests.count == before + 1)
    }

    @Test("contacts the server for no further account after Ctrl-C, and removes nothing", arguments: [false, true])
    func interrupted(isForced: Bool) throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        doubles.transport.fail(.interrupted)
        #expect(try (isForced ? logout("--all", "--force") : logout("--all")).status == .failed)
        #expect(requests.count == 1 && doubles.keyring.items.count == 2)
        // Both accounts are named.
        let told = sentences.joined()
        #expect(told.contains("octocat") && told.contains("hubot"))
        #expect(hints.last?.hasSuffix(isForced ? " --revoke --force" : " --revoke") == true, "\(hints)")
    }

    @Test("counts a token as revoked that the server no longer accepts")
    func deadToken() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        respond(HTTPResponse(status: 422), HTTPResponse(status: 401))
        let end = try logout()
        let dead = "github.com already rejects the token, so there was nothing to revoke."
        #expect(end.status == .done && end.text.contains(dead) && doubles.keyring.items.isEmpty)
        #expect(requests.last?.address == "https://api.github.com/user")
    }

    @Test("keeps the token if an Enterprise Server requires the app's secret, and shows where to revoke it by hand")
    func enterprise() throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        helper.stored(expiresIn: nil, refreshToken: nil, clientID: "Ov23liExample", host: "ghe.example")
        respond(.json(#"{"login":"octocat"}"#))
        #expect(try logout(host: "ghe.example").status == .failed && doubles.keyring.items.count == 1)
        let text =
            "could not revoke the token of octocat, so it was kept in the keyring: ghe.example lets an app "
            + "revoke its tokens only with a client secret, which gitspace does not have"
        let page = "https://ghe.example/settings/connections/applications/Ov23liExample"
        let command = "  git credential-gitspace logout ghe.example octocat"
        #expect(told == [text, "revoke it there yourself: " + page, "then remove it from the keyring:", command])
        // A dead token need not be revoked there.
        respond(.json("{}", status: 401))
        #expect(try logout(host: "ghe.example").status == .done && doubles.keyring.items.isEmpty)
    }

    @Test("keeps its options in the command to paste")
    func options() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        verb.questions.canAsk = false
        for (words, host, command) in [
            (["zoe"], "github.com", "github.com hubot --revoke"), ([], "github.com", "github.com --all --revoke"),
            (["bob"], "githb.com", "--revoke github.com bob"),
        ] {
            #expect(try verb.run(["logout", host, "--revoke"] + words).status == .failed)
            #expect(hints.last == "  git credential-gitspace logout " + command)
        }
    }

    @Test("names --all in the suggested commands of a logout with --all")
    func allNamed() throws {
        func last(_ host: String) throws -> String? {
            #expect(try logout("--all", host: host).status == .failed)
            return hints.last
        }
        helper.brought("password", host: "git.example")
        #expect(try last("git.example") == "  git credential-gitspace logout git.example --all")
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, refreshToken: nil, user: user) }
        for _ in 1...2 { doubles.transport.fail(.unreachable) }
        #expect(try last("github.com") == "  git credential-gitspace logout github.com --all --revoke --force")
    }

    @Test(
        "fails and keeps everything on a host without our sign-ins, even with --force",
        arguments: [
            ("git.example", nil), ("git.example", "none"), ("git.example", "unheard-of"), ("github.com", "none"),
        ] as [(String, String?)], [false, true])
    func noSignInHost(at place: (host: String, provider: String?), isForced: Bool) throws {
        let (host, provider) = place
        if let provider { doubles.configure("credential", "https://\(host)", "provider", provider) }
        helper.brought("password", host: host)
        let end = try isForced ? logout("--force", host: host) : logout(host: host)
        #expect(end.status == .failed && end.text.isEmpty)
        #expect(doubles.errors == [.nothingToRevokeAt(host: DisplayText(trusted: host))])
        #expect(doubles.keyring.items.count == 1 && requests.isEmpty)
    }

    @Test("keeps a password that is no token, and does not send it")
    func noToken() throws {
        helper.brought("pass\"word")
        respond(.json(#"{"login":"octocat"}"#))
        #expect(try logout().status == .failed)
        let failure = UserFacingError(
            .notForSignIn, Message("gitspace cannot revoke tokens at %1$s", "github.com" as DisplayText))
        #expect(doubles.errors == [notRevoked(failure)] && doubles.keyring.items.count == 1)
        #expect(requests.allSatisfy { $0.method == "GET" })
    }

    @Test("keeps a refresh token that another server issued, and does not send it")
    func issuedElsewhere() throws {
        configureOpenID()
        helper.stored(
            expiresIn: nil, refreshToken: "refresh", clientID: "c", host: "git.example", password: "access",
            issuer: "https://before.example")
        discover()
        #expect(try logout(host: "git.example").status == .failed)
        #expect(requests.map(\.method) == ["GET"] && doubles.keyring.items.count == 1)
        // GitHub revokes a token for any client.
        helper.stored(expiresIn: nil, refreshToken: "ghr_x", password: "ghu_x", origin: "https://before.example")
        #expect(try logout().status == .failed && requests.count == 1 && doubles.keyring.items.count == 2)
    }

    @Test("reports a keyring that fails after the revocation")
    func keyringFault() throws {
        helper.stored(expiresIn: nil)
        respond(Self.accepted)
        doubles.keyring.faultAtCall = (3, .disconnected)
        let end = try logout()
        #expect(end.status == .failed && end.text.isEmpty)
        #expect(doubles.errors == [.revokedNotErased(account: "octocat", .disconnected)])
    }

    @Test("revokes the token that another process has just refreshed, or with --force one without a lock")
    func sibling() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { helper.stored(expiresIn: nil, refreshToken: "ghr_new", password: "ghu_new") }
        respond(Self.accepted)
        #expect(try logout().status == .done)
        #expect(requests.first?.body == #"{"credentials":["ghu_new","ghr_new"]}"# && doubles.keyring.items.isEmpty)
        helper.stored(expiresIn: -10)
        doubles.locks.fault = .impossible
        respond(Self.accepted)
        #expect(try logout("--force").text.contains(Self.revoked) && doubles.keyring.items.isEmpty)
    }

    @Test(
        "revokes nothing while another process may be refreshing",
        arguments: [(.timedOut, .busy), (.impossible, .noLock(.impossible))] as [(LockError, UserFacingError)])
    func noLock(fault: LockError, error: UserFacingError) throws {
        helper.stored(expiresIn: -10)
        doubles.locks.fault = fault
        #expect(try logout().status == .failed)
        #expect(doubles.errors == [notRevoked(error)] && doubles.keyring.items.count == 1 && requests.isEmpty)
    }
}
