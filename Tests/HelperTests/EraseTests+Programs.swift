import TestSupport
import Testing

/// Rejections by programs other than git.
extension EraseTests {
    private func rejected(_ requester: Requester, password: String? = nil) throws {
        doubles.requester = requester
        try erase(password.map { "\nusername=octocat\npassword=\($0)" } ?? "")
    }

    @Test("removes only credentials that are not ours if a program or git itself rejects a host, and prints a line")
    func hostByProgram() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: nil, refreshToken: nil, user: "hubot")
        helper.stored(expiresIn: -1, user: "renewable")
        helper.stored(expiresIn: -1, refreshToken: nil, user: "dead")
        helper.brought("ghp_1", user: "typed")
        try rejected(.program)
        let left = doubles.keyring.items.map { String(decoding: $0.attributes.user ?? [], as: UTF8.self) }
        #expect(Set(left) == ["octocat", "hubot", "renewable"])
        guard case .signInStays("github.com", let accounts)? = notices.first else {
            Issue.record("\(notices)")
            return
        }
        #expect(accounts.count == 3 && notices.count == 1 && requests.isEmpty)
        try rejected(.git)
        #expect(password() == "ghu_old")
    }

    @Test("removes a token without our mark that git or Git LFS rejects, and keeps its refresh token")
    func withoutMark() throws {
        helper.stored(expiresIn: 3_600)
        try rejected(.git, password: "ghu_old")
        let credential = try #require(self.credential())
        #expect(credential.password.isEmpty && credential.oauthRefreshToken?.text == "ghr_old")
        #expect(notices == [.rejected(host: "github.com", account: "octocat", .refreshes)])
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("ghu_16C7"))
        try rejected(.git, password: password())
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("keeps a token that a program rejects and the host accepts", arguments: ["ghr_old", nil])
    func accepted(refreshToken: String?) throws {
        helper.stored(expiresIn: refreshToken == nil ? nil : 3_600, refreshToken: refreshToken)
        respond(GitHubAnswers.user("octocat"))
        try rejected(.program, password: "ghu_old")
        let credential = try #require(self.credential())
        #expect(credential.password.text == "ghu_old" && credential.oauthRefreshToken?.text == refreshToken)
        #expect(notices == [.signInStays(host: "github.com", accounts: ["octocat"])])
    }

    @Test("removes a token that the host rejects too, and keeps its refresh token", arguments: ["ghr_old", nil])
    func refusedByHost(refreshToken: String?) throws {
        helper.stored(expiresIn: refreshToken == nil ? nil : 3_600, refreshToken: refreshToken)
        respond(.json("{}", status: 401))
        try rejected(.program, password: "ghu_old")
        #expect(credential()?.oauthRefreshToken?.text == refreshToken)
        #expect(credential()?.password.isEmpty ?? true)
    }

    @Test("refreshes a rejected token once if the host cannot be asked, and keeps one without a refresh token")
    func unknown() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.fail(.unreachable)
        try rejected(.program, password: "ghu_old")
        #expect(credential()?.password.isEmpty == true)
        respond(GitHubAnswers.gitHubAppToken)
        _ = try get()
        let second = try #require(password())
        doubles.transport.fail(.unreachable)
        try rejected(.program, password: second)
        #expect(password() == second)
        helper.stored(expiresIn: nil, refreshToken: nil)
        doubles.transport.fail(.unreachable)
        try rejected(.program, password: "ghu_old")
        #expect(password() == "ghu_old")
    }
}
