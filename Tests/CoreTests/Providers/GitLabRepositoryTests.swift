import TestSupport
import Testing

@testable import Providers

@Suite("Projects on GitLab")
struct GitLabRepositoryTests {
    private let transport = ScriptedTransport()

    private func ask(_ answers: HTTPResponse..., token: String? = "t") throws -> RepositoryAnswer {
        answers.forEach(transport.answer)
        let host = try #require(SignInHost(configured: HostName(name: "git.example"), provider: .gitlab))
        let credential = token.map { StoredCredential(username: Array("mona".utf8), password: Secret($0)) }
        let answer = try GitLab(host).repository("acme/tools/widgets", as: credential, over: transport)
        #expect(transport.isExhausted)
        return answer
    }

    private func project(_ more: String = "", level: Int? = 30) -> HTTPResponse {
        let access = level.map { "{\"access_level\":\($0),\"notification_level\":3}" } ?? "null"
        return .json("{\"id\":7,\"permissions\":{\"project_access\":\(access),\"group_access\":null}\(more)}")
    }

    private func git(_ status: Int, _ text: String = "") -> HTTPResponse {
        HTTPResponse(status: status, body: Secret(text.utf8))
    }

    private func rights(
        mayPush: Bool, missing: String? = nil, isArchived: Bool = false, refuses: Bool = false
    ) -> RepositoryAnswer {
        .reached(
            RepositoryRights(mayPush: mayPush, missingScope: missing, isArchived: isArchived, refusesPushes: refuses))
    }

    private static let noUpload = "You are not allowed to upload code."
    private static let noDownload = "You are not allowed to download code."
    private static let noPush = "You are not allowed to push code to this project."

    @Test("asks git's own protocol about a sign-in, which cannot read the API")
    func byGit() throws {
        #expect(try ask(GitLabAnswers.insufficientScope, git(200, "001f# service=")) == rights(mayPush: true))
        #expect(
            transport.requests.map(\.address) == [
                "https://git.example/api/v4/projects/acme%2Ftools%2Fwidgets",
                "https://git.example/acme/tools/widgets.git/info/refs?service=git-receive-pack",
            ])
        #expect(transport.requests.map(\.authorization) == ["Bearer t", "Basic mona:t"])
    }

    @Test("reports read-only rights, or none, if the push is refused")
    func readOnly() throws {
        let refused = git(403, Self.noPush)
        #expect(try ask(GitLabAnswers.insufficientScope, refused, git(200)) == rights(mayPush: false))
        #expect(transport.requests.last?.address.hasSuffix("?service=git-upload-pack") == true)
        let download = git(403, "You are not allowed to download code from this project.")
        #expect(try ask(GitLabAnswers.insufficientScope, refused, download) == .notFound)
    }

    @Test("names a missing scope")
    func scopes() throws {
        let upload = git(403, Self.noUpload)
        #expect(
            try ask(GitLabAnswers.insufficientScope, upload, git(200))
                == rights(mayPush: true, missing: "write_repository"))
        #expect(
            try ask(GitLabAnswers.insufficientScope, upload, git(403, Self.noDownload))
                == .scopeMissing("read_repository"))
        #expect(try ask(project(level: 20), upload, git(200)) == rights(mayPush: false, missing: "write_repository"))
        #expect(try ask(project(), upload, git(403, Self.noDownload)) == .scopeMissing("read_repository"))
    }

    @Test("reports more for a token that can read the API, after git's own protocol")
    func byAPI() throws {
        #expect(try ask(project(), git(200)) == rights(mayPush: true))
        let refused = git(403, Self.noPush)
        #expect(try ask(project(level: 20), refused, git(200)) == rights(mayPush: false))
        #expect(try ask(project(level: 30), refused, git(200)) == rights(mayPush: true, refuses: true))
        let byGroup = #"{"id":7,"permissions":{"project_access":null,"group_access":{"access_level":30}}}"#
        #expect(
            try ask(.json(byGroup), git(403, Self.noUpload), git(200))
                == rights(mayPush: true, missing: "write_repository"))
        #expect(try ask(project(#","archived":true"#)) == rights(mayPush: true, isArchived: true))
    }

    @Test("reports a repository that is read-only for another reason than the account's role")
    func readOnlyForAll() throws {
        let refused = git(403, "The repository is temporarily read-only. Please try again later.")
        for api in [project(), GitLabAnswers.insufficientScope] {
            #expect(try ask(api, refused, git(200)) == rights(mayPush: true, refuses: true))
            #expect(try ask(api, refused, git(404)) == .notFound)
        }
        #expect(try ask(project(level: 20), refused, git(200)) == rights(mayPush: false))
    }

    @Test("reports what everybody may read without a token")
    func anonymous() throws {
        #expect(try ask(.json(#"{"id":7,"visibility":"public"}"#), token: nil) == rights(mayPush: false))
        #expect(try ask(.json(#"{"message":"404 Project Not Found"}"#, status: 404), token: nil) == .notFound)
        #expect(try ask(GitLabAnswers.insufficientScope, token: nil) == .refused(status: 403))
    }

    @Test("builds the page for a group's own sign-on")
    func singleSignOn() throws {
        func page(_ address: String) throws -> RepositoryAnswer {
            let text = "Cannot find valid SSO session. Please login via your group's SSO at " + address
            return try ask(GitLabAnswers.insufficientScope, git(403, text))
        }
        let good = HTTPSAddress(host: "git.example", path: "/groups/acme/-/saml/sso?token=kzSw6pzZ")
        #expect(
            try page("https://git.example/groups/acme/-/saml/sso?token=kzSw6pzZ") == .singleSignOnRequired(page: good))
        #expect(try page("https://git.example/groups/acme/-/saml/sso") != .singleSignOnRequired(page: nil))
        for bad in [
            "https://evil.example/groups/acme/-/saml/sso", "https://git.example/groups/a%2e/-/saml/sso",
            "https://git.example/-/profile", "http://git.example/groups/acme/-/saml/sso", "",
            "https://git.example/groups/acme/-/saml/sso?token=a&b=c", "https://git.example/groups/../-/saml/sso",
            "https://git.example/groups/acme/-/saml/sso?next=x", "\u{1b}[2J",
        ] { #expect(try page(bad) == .singleSignOnRequired(page: nil), "\(bad)") }
    }

    @Test(
        "reads the API's and git's status",
        arguments: [
            (301, .moved), (307, .moved), (401, .tokenRejected), (404, .notFound), (429, .rateLimited(RateLimit())),
            (500, .unavailable(status: 500)), (503, .unavailable(status: 503)), (204, .malformed),
            (418, .refused(status: 418)),
        ] as [(Int, RepositoryAnswer)])
    func byStatus(status: Int, answer: RepositoryAnswer) throws {
        #expect(try ask(.json(#"{"id":7}"#, status: status)) == answer)
        // git's own protocol returns the status to a token that the API refuses.
        #expect(try ask(GitLabAnswers.insufficientScope, git(status)) == answer)
    }

    @Test("reports when a rate limit ends")
    func rateLimit() throws {
        let limited = HTTPResponse.json("", status: 429, headers: [("ratelimit-reset", "1700000600")])
        #expect(try ask(limited) == .rateLimited(RateLimit(reset: 1_700_000_600)))
    }

    @Test("reports an unknown refusal by its status, without its words")
    func otherRefusals() throws {
        let refused = git(403, "\u{1b}[2JNo.")
        #expect(try ask(GitLabAnswers.insufficientScope, refused, refused) == .refused(status: 403))
        #expect(try ask(GitLabAnswers.insufficientScope, git(403, "Your account has been blocked.")) == .blocked)
        #expect(
            try ask(GitLabAnswers.insufficientScope, HTTPResponse(status: 403, body: Secret([0xff, 0xfe])), refused)
                == .refused(status: 403))
    }

    @Test("accepts a list of branches beyond our limit, and throws any other transport error")
    func fault() throws {
        transport.answer(GitLabAnswers.insufficientScope)
        transport.fail(.tooLarge)
        #expect(try ask() == rights(mayPush: true))
        transport.answer(GitLabAnswers.insufficientScope)
        transport.fail(.timedOut)
        #expect(throws: TransportError.timedOut) { try ask() }
    }

    @Test(
        "reports a body that is no project as malformed",
        arguments: ["", "[]", "{}", "null", #"{"id":null}"#, "<html>", #"{"id":1,"id":2}"#])
    func malformed(body: String) throws { #expect(try ask(.json(body)) == .malformed) }

    @Test(
        "ignores malformed permissions",
        arguments: [
            #"{"id":7,"permissions":null}"#, #"{"id":7,"permissions":[40]}"#,
            #"{"id":7,"permissions":{"project_access":40}}"#,
            #"{"id":7,"permissions":{"project_access":{"access_level":"40"}}}"#,
            #"{"id":7,"permissions":{"project_access":{"access_level":-40}}}"#,
            #"{"id":7,"permissions":{"project_access":{"access_level":99999999999999999999}}}"#,
        ])
    func lies(body: String) throws {
        #expect(
            try ask(.json(body), git(403, Self.noUpload), git(200))
                == rights(mayPush: false, missing: "write_repository"))
    }
}
