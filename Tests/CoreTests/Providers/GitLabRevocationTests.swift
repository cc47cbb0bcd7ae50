import CredentialCore
import Providers
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

    @Test("the refresh token first, then the access token, in the client's name")
    func order() throws {
        let transport = ScriptedTransport(.json("{}"), .json("{}"))
        #expect(try revoke(transport) == .accepted)
        #expect(transport.requests.map(\.body) == ["client_id=app&token=ref", "client_id=app&token=acc"])
        #expect(
            transport.requests.allSatisfy { $0.address == "https://gitlab.com/oauth/revoke" && $0.method == "POST" })
        #expect(transport.requests.allSatisfy { $0.authorization == nil })
    }

    @Test("an access token that `erase` has dropped is no token")
    func dropped() throws {
        let transport = ScriptedTransport(HTTPResponse(status: 200))
        #expect(try revoke(transport, access: "") == .accepted)
        #expect(transport.requests.map(\.body) == ["client_id=app&token=ref"])
    }

    /// The endpoint would say yes, and the token would live on.
    @Test("a token that a person has made is not sent there")
    func personal() throws {
        let transport = ScriptedTransport()
        #expect(try revoke(transport, refresh: nil, isPersonal: true) == .unsupported)
    }

    @Test("the first no is the outcome", arguments: [302, 400, 401, 403, 404, 429, 500, 503])
    func refused(status: Int) throws {
        #expect(try revoke(ScriptedTransport(.json("{}", status: status))) == .refused(status: status))
        #expect(try revoke(ScriptedTransport(.json("{}"), .json("{}", status: status))) == .refused(status: status))
    }

    @Test("an answer without a body is a yes, whatever it says to be")
    func empty() throws {
        let empty = HTTPResponse(status: 200, headers: [("content-type", Array("text/html; charset=UTF-8".utf8))])
        #expect(try revoke(ScriptedTransport(empty, empty)) == .accepted)
    }

    @Test("a page, or an error under another status, is no yes")
    func lies() throws {
        #expect(try revoke(ScriptedTransport(.page(status: 200))) == .refused(status: 200))
        let error = GitLabAnswers.error("unsupported_token_type", status: 200)
        #expect(try revoke(ScriptedTransport(error)) == .refused(status: 200))
    }

    @Test("a fault on the way is told apart from a refusal")
    func failed() throws {
        let transport = ScriptedTransport(.json("{}"))
        transport.fail(.timedOut)
        #expect(try revoke(transport) == .failed(.timedOut))
    }
}
