import TestSupport
import Testing

@Suite("Revocation at GitLab")
struct GitLabRevocationTests {
    private func revoke(
        _ transport: ScriptedTransport, access: String? = "acc", refresh: String? = "ref", isPersonal: Bool = false
    ) throws -> RevocationOutcome {
        let host = try #require(SignInHost(builtIn: HostName(name: "gitlab.com")))
        let grant = RevocableGrant(
            accessToken: access.map { Secret($0) }, refreshToken: refresh.map { Secret($0) },
            client: isPersonal ? nil : try OAuthClient(id: "app", of: host))
        return GitLab(host).revoke([grant], over: transport)
    }

    @Test("revokes the refresh token first, then the access token, with the client ID")
    func order() throws {
        let transport = ScriptedTransport(.json("{}"), .json("{}"))
        #expect(try revoke(transport) == .accepted)
        #expect(transport.requests.map(\.body) == ["client_id=app&token=ref", "client_id=app&token=acc"])
        #expect(
            transport.requests.allSatisfy { $0.address == "https://gitlab.com/oauth/revoke" && $0.method == "POST" })
        #expect(transport.requests.allSatisfy { $0.authorization == nil })
    }

    @Test("skips an access token that `erase` has emptied")
    func dropped() throws {
        let transport = ScriptedTransport(HTTPResponse(status: 200))
        #expect(try revoke(transport, access: "") == .accepted)
        #expect(transport.requests.map(\.body) == ["client_id=app&token=ref"])
    }

    /// The endpoint would return success, and the token would stay valid.
    @Test("does not send a token that a person created")
    func personal() throws {
        let transport = ScriptedTransport()
        #expect(try revoke(transport, refresh: nil, isPersonal: true) == .unsupported)
    }

    @Test("stops at the first failure", arguments: [302, 400, 401, 403, 404, 429, 500, 503])
    func refused(status: Int) throws {
        #expect(try revoke(ScriptedTransport(.json("{}", status: status))) == .refused(status: status))
        #expect(try revoke(ScriptedTransport(.json("{}"), .json("{}", status: status))) == .refused(status: status))
    }

    @Test("takes a 200 without a body as success, whatever its type")
    func empty() throws {
        let empty = HTTPResponse(status: 200, headers: [("content-type", Array("text/html; charset=UTF-8".utf8))])
        #expect(try revoke(ScriptedTransport(empty, empty)) == .accepted)
    }

    @Test("takes a page, or an error with status 200, as a failure")
    func lies() throws {
        #expect(try revoke(ScriptedTransport(.page(status: 200))) == .refused(status: 200))
        let error = GitLabAnswers.error("unsupported_token_type", status: 200)
        #expect(try revoke(ScriptedTransport(error)) == .refused(status: 200))
    }

    @Test("distinguishes a transport error from a refusal")
    func failed() throws {
        let transport = ScriptedTransport(.json("{}"))
        transport.fail(.timedOut)
        #expect(try revoke(transport) == .failed(.timedOut))
    }
}
