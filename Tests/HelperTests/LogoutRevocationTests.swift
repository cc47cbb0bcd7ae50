import TestSupport
import Testing

@Suite("The verb logout: --revoke")
struct LogoutRevocationTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private static let accepted = HTTPResponse(status: 202)
    private static let appsPage = HTTPSAddress(host: "github.com", path: "/settings/apps/authorizations")

    private func logout(
        _ options: String..., host: String = "github.com"
    ) throws -> (status: Verbs.ExitStatus, text: [String]) {
        try VerbFixture(doubles).run(["logout", host, "--revoke"] + options)
    }

    private static let revoked = "Revoked the token at github.com."

    private func notRevoked(
        _ failure: RevocationFailure, account: DisplayText = "octocat", host: DisplayText = "github.com",
        page: HTTPSAddress = appsPage, _ word: DisplayText? = nil
    ) -> UserFacingError { .notRevoked(account: account, host: host, failure, page: page, word) }

    @Test("revokes both tokens in one request, and then removes them from the keyring")
    func accepted() throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(Self.accepted)
        let end = try logout()
        #expect(end.status == .done)
        #expect(end.text == ["Signed out of github.com: removed octocat from the keyring.", Self.revoked])
        #expect(doubles.transport.requests.first?.body == #"{"credentials":["ghu_old","ghr_old"]}"#)
        #expect(doubles.keyring.items.isEmpty && doubles.errors.isEmpty)
        #expect(
            doubles.journal.entries.prefix(6) == [
                "keyring items", "lock", "keyring items", "POST https://api.github.com/credentials/revoke",
                "keyring remove", "unlock",
            ])
    }

    @Test("keeps and reports a token that the server did not revoke", arguments: [200, 302, 404, 422, 429, 500])
    func refused(status: Int) throws {
        helper.stored(expiresIn: 1_000)
        let before = doubles.keyring.items.map(\.path)
        doubles.transport.answer(HTTPResponse(status: status))
        let end = try logout()
        #expect(end.status == .failed && end.text.isEmpty)
        #expect(doubles.errors == [notRevoked(.refused(status: status))])
        #expect(doubles.keyring.items.map(\.path) == before)
    }

    @Test("keeps the token if the server cannot be reached", arguments: [.unreachable, .timedOut] as [TransportError])
    func offline(error: TransportError) throws {
        helper.stored(expiresIn: nil)
        doubles.transport.fail(error)
        #expect(try logout().status == .failed)
        #expect(doubles.errors == [notRevoked(.failed(error.words(host: "github.com")))])
        #expect(doubles.keyring.items.count == 1)
    }

    @Test("removes the token with --force, and warns that it may still be valid")
    func forced() throws {
        helper.stored(expiresIn: nil)
        doubles.transport.fail(.unreachable)
        let end = try logout("--force")
        #expect(end.status == .done)
        #expect(
            end.text == [
                "Signed out of github.com: removed octocat from the keyring.",
                "The token was not revoked: cannot reach github.com.",
                "The token stays valid until you revoke the app's access:", "  \(Self.appsPage.text)",
            ])
        #expect(doubles.errors.isEmpty && doubles.keyring.items.isEmpty)
    }

    @Test("keeps only the accounts that the server did not revoke")
    func severalAccounts() throws {
        for user in ["octocat", "hubot", "mona"] { helper.stored(expiresIn: nil, user: user) }
        for status in [202, 500, 202] { doubles.transport.answer(HTTPResponse(status: status)) }
        let end = try logout("--all")
        #expect(end.status == .failed)
        let kept = try #require(doubles.keyring.items.first?.attributes.user)
        let gone = ["octocat", "hubot", "mona"].filter { !$0.utf8.elementsEqual(kept) }
        #expect(doubles.keyring.items.count == 1 && gone.count == 2)
        #expect(
            Set(end.text)
                == Set(gone.map { "Signed out of github.com: removed \($0) from the keyring." } + [Self.revoked]))
        #expect(doubles.errors == [notRevoked(.refused(status: 500), account: DisplayText(untrusted: kept), " --all")])
    }

    @Test("reports what was removed if another token could be neither revoked nor removed")
    func forcedHalfDone() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        for _ in 1...2 { doubles.transport.fail(.unreachable) }
        doubles.keyring.beforeCall = { [doubles] call in
            doubles.keyring.fault = call == .remove && doubles.keyring.calls.contains(.remove) ? .denied : nil
        }
        let end = try logout("--all", "--force")
        let kept = try #require(doubles.keyring.items.first?.attributes.user.map { DisplayText(untrusted: $0) })
        #expect(end.status == .failed && end.text.first?.hasPrefix("Signed out of github.com: removed ") == true)
        #expect(
            doubles.errors.map(\.text.english)
                == ["\(kept) could not be removed for github.com: the keyring denied access"])
    }

    @Test("keeps the token after Ctrl-C during the request, forced or not")
    func interruptedTrial() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        doubles.transport.answer(HTTPResponse(status: 422))
        doubles.transport.fail(.interrupted)
        #expect(try logout("--force").status == .failed)
        #expect(doubles.keyring.items.count == 1)
    }

    @Test("keeps the token after Ctrl-C during the discovery of the server, even with --force")
    func interruptedDiscovery() throws {
        for (key, value) in [("provider", "oidc"), ("oauthClientId", "c"), ("oauthIssuer", "https://id.example")] {
            doubles.configure("credential", "https://git.example", key, value)
        }
        helper.stored(expiresIn: nil, clientID: "c", host: "git.example")
        doubles.transport.fail(.interrupted)
        #expect(try logout("--force", host: "git.example").status == .failed)
        #expect(doubles.keyring.items.count == 1 && doubles.transport.requests.count == 1)
    }

    @Test("contacts the server for no further account after Ctrl-C, and removes nothing", arguments: [false, true])
    func interrupted(isForced: Bool) throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        doubles.transport.fail(.interrupted)
        #expect(try (isForced ? logout("--all", "--force") : logout("--all")).status == .failed)
        #expect(doubles.transport.requests.count == 1 && doubles.keyring.items.count == 2)
        // Both accounts are named.
        let told = doubles.errors.map(\.text.english).joined()
        #expect(told.contains("octocat") && told.contains("hubot"))
    }

    @Test("counts a token as revoked that the server no longer accepts")
    func deadToken() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        doubles.transport.answer(HTTPResponse(status: 422), HTTPResponse(status: 401))
        let end = try logout()
        #expect(
            end.status == .done
                && end.text.contains("github.com already rejects the token, so there was nothing to revoke."))
        #expect(doubles.keyring.items.isEmpty)
        #expect(doubles.transport.requests.last?.address == "https://api.github.com/user")
    }

    @Test("counts no token as revoked that the server accepts or cannot check", arguments: [200, 403, 500])
    func liveToken(status: Int) throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        doubles.transport.answer(HTTPResponse(status: 422), .json(#"{"login":"octocat"}"#, status: status))
        #expect(try logout().status == .failed)
        #expect(doubles.errors == [notRevoked(.refused(status: 422))] && doubles.keyring.items.count == 1)
    }

    @Test("keeps the token if the host has no revocation, unless the token is dead", arguments: [200, 401])
    func unsupported(status: Int) throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        helper.stored(expiresIn: nil, refreshToken: nil, host: "ghe.example")
        doubles.transport.answer(.json(#"{"login":"octocat"}"#, status: status))
        let end = try logout(host: "ghe.example")
        #expect(end.status == (status == 401 ? .done : .failed))
        #expect(doubles.keyring.items.isEmpty == (status == 401))
        let page = HTTPSAddress(host: "ghe.example", path: "/settings/apps/authorizations")
        #expect(doubles.errors == (status == 401 ? [] : [notRevoked(.secretNeeded, host: "ghe.example", page: page)]))
    }

    @Test("shows where to revoke by hand if an Enterprise Server requires the app's secret")
    func enterprise() throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        helper.stored(expiresIn: nil, refreshToken: nil, clientID: "Ov23liExample", host: "ghe.example")
        doubles.transport.answer(.json(#"{"login":"octocat"}"#))
        #expect(try logout(host: "ghe.example").status == .failed)
        let error = try #require(doubles.errors.first)
        #expect(
            error.text.english
                == "could not revoke the token of octocat, so it was kept in the keyring: ghe.example lets an app "
                + "revoke its tokens only with a client secret, which gitspace does not have")
        #expect(
            error.hints.map(\.english) == [
                "revoke it there yourself: https://ghe.example/settings/connections/applications/Ov23liExample",
                "then remove it from the keyring:", "  git credential-gitspace logout ghe.example octocat",
            ])
    }

    @Test("names --all in the suggested commands of a logout with --all")
    func allNamed() throws {
        func last(_ host: String) throws -> String? {
            #expect(try logout("--all", host: host).status == .failed)
            return doubles.errors.last?.hints.last?.english
        }
        helper.brought("password", host: "git.example")
        #expect(try last("git.example") == "  git credential-gitspace logout git.example --all")
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, refreshToken: nil, user: user) }
        for _ in 1...2 { doubles.transport.fail(.unreachable) }
        #expect(try last("github.com") == "  git credential-gitspace logout github.com --all --revoke --force")
    }

    @Test(
        "fails and keeps everything on a host without our sign-ins, even with --force",
        arguments: [nil, "none", "unheard-of"] as [String?], [false, true])
    func noSignInHost(provider: String?, isForced: Bool) throws {
        if let provider { doubles.configure("credential", "https://git.example", "provider", provider) }
        helper.brought("password", host: "git.example")
        let end = try isForced ? logout("--force", host: "git.example") : logout(host: "git.example")
        #expect(end.status == .failed && end.text.isEmpty)
        #expect(doubles.errors == [.nothingToRevokeAt(host: "git.example")])
        #expect(doubles.keyring.items.count == 1 && doubles.transport.requests.isEmpty)
    }

    @Test("obeys the setting that makes github.com a plain store")
    func plainStore() throws {
        doubles.configure("credential", "https://github.com", "provider", "none")
        helper.stored(expiresIn: nil)
        #expect(try logout().status == .failed)
        #expect(doubles.errors == [.nothingToRevokeAt(host: "github.com")] && doubles.keyring.items.count == 1)
    }

    @Test("keeps a password that is no token, and does not send it")
    func noToken() throws {
        helper.brought("pass\"word")
        doubles.transport.answer(.json(#"{"login":"octocat"}"#))
        #expect(try logout().status == .failed)
        #expect(doubles.errors == [notRevoked(.unsupported)] && doubles.keyring.items.count == 1)
        #expect(doubles.transport.requests.allSatisfy { $0.method == "GET" })
    }

    @Test("keeps a refresh token that another server issued, and does not send it")
    func issuedElsewhere() throws {
        for (key, value) in [("provider", "oidc"), ("oauthClientId", "c"), ("oauthIssuer", "https://id.example")] {
            doubles.configure("credential", "https://git.example", key, value)
        }
        doubles.keyring.put(
            StoredCredential(
                username: Array("octocat".utf8), password: Secret("access"), oauthRefreshToken: Secret("refresh"),
                grant: .init(clientID: "c", issuer: "https://before.example")),
            for: "git.example")
        doubles.transport.answer(
            .json(
                """
                {"issuer":"https://id.example","token_endpoint":"https://id.example/token",\
                "device_authorization_endpoint":"https://id.example/device",\
                "revocation_endpoint":"https://id.example/revoke"}
                """))
        #expect(try logout(host: "git.example").status == .failed)
        #expect(doubles.transport.requests.map(\.method) == ["GET"] && doubles.keyring.items.count == 1)
        // GitHub revokes a token for any client.
        doubles.keyring.put(
            StoredCredential(
                username: Array("octocat".utf8), password: Secret("ghu_x"), oauthRefreshToken: Secret("ghr_x"),
                grant: .init(clientID: "Iv1.0123456789abcdef", tokenOrigin: "https://before.example")),
            for: "github.com")
        #expect(try logout().status == .failed)
        #expect(doubles.transport.requests.count == 1 && doubles.keyring.items.count == 2)
    }

    @Test("reports a keyring that fails after the revocation")
    func keyringFault() throws {
        helper.stored(expiresIn: nil)
        doubles.transport.answer(Self.accepted)
        doubles.keyring.faultAtCall = (3, .disconnected)
        let end = try logout()
        #expect(end.status == .failed && end.text.isEmpty)
        #expect(doubles.errors == [.revokedNotErased(account: "octocat", .disconnected)])
    }

    @Test("revokes the token that another process has just refreshed")
    func sibling() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.whenAcquired = { [helper] in
            helper.doubles.keyring.put(
                StoredCredential(
                    username: Array("octocat".utf8), password: Secret("ghu_new"),
                    oauthRefreshToken: Secret("ghr_new"), grant: .init(clientID: "Iv1.0123456789abcdef")),
                for: "github.com")
        }
        doubles.transport.answer(Self.accepted)
        #expect(try logout().status == .done)
        #expect(doubles.transport.requests.first?.body == #"{"credentials":["ghu_new","ghr_new"]}"#)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test(
        "revokes nothing while another process may be refreshing",
        arguments: [(.timedOut, .busy), (.impossible, .noLock(.impossible))] as [(LockError, UserFacingError)])
    func noLock(fault: LockError, error: UserFacingError) throws {
        helper.stored(expiresIn: -10)
        doubles.locks.fault = fault
        #expect(try logout().status == .failed)
        #expect(doubles.errors == [notRevoked(.failed(error))])
        #expect(doubles.keyring.items.count == 1 && doubles.transport.requests.isEmpty)
    }

    @Test("revokes the token with --force if there is no place for locks")
    func forcedWithoutLock() throws {
        helper.stored(expiresIn: -10)
        doubles.locks.fault = .impossible
        doubles.transport.answer(Self.accepted)
        #expect(try logout("--force").text.contains(Self.revoked))
        #expect(doubles.keyring.items.isEmpty)
    }
}
