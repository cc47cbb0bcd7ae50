import TestSupport
import Testing

@testable import Providers

@Suite("Pull requests by a host's API")
struct PullRequestTests {
    private let transport = ScriptedTransport()

    private func api(_ provider: ProviderID) throws -> PullRequestAPI {
        let host = try #require(SignInHost(configured: HostName(name: "h.example"), provider: provider))
        return try #require(host.provider.pullRequests(in: "acme/app"))
    }

    private func proposal(_ title: String = "Fix", base: String? = "main", isDraft: Bool = false) -> PullRequestProposal
    {
        PullRequestProposal(
            title: title, description: "One\nTwo \"2\" \\", head: "agent/fix", base: base, isDraft: isDraft)
    }

    private func open(
        _ api: PullRequestAPI, _ proposal: PullRequestProposal
    ) throws(PullRequestFault) -> (pullRequest: PullRequest, isNew: Bool) {
        try api.open(proposal, token: Secret("t"), until: 20_000, over: transport)
    }

    private static let gitHubEntry =
        "{\"number\":7,\"head\":{\"ref\":\"agent/fix\",\"repo\":{\"full_name\":\"Acme/app\"}},\"base\":{\"ref\":\"main\"}}"

    /// The body is what the host is told; nothing else may be in it.
    @Test(
        "sends these requests and bodies to each kind of host",
        arguments: [
            (
                ProviderID.github, "https://h.example/api/v3/repos/acme/app/pulls",
                "state=open&head=acme:agent%2Ffix&base=main",
                #"{"base":"main","body":"One\u000aTwo \"2\" \\","draft":true,"head":"agent/fix","title":"Fix"}"#,
                "number", "https://h.example/acme/app/pull/7"
            ),
            (
                .gitea, "https://h.example/api/v1/repos/acme/app/pulls",
                "state=open&sort=recentupdate&limit=20&base_branch=main",
                #"{"base":"main","body":"One\u000aTwo \"2\" \\","head":"agent/fix","title":"WIP: Fix"}"#, "number",
                "https://h.example/acme/app/pulls/7"
            ),
            (
                .gitlab, "https://h.example/api/v4/projects/acme%2Fapp/merge_requests",
                "state=opened&source_branch=agent%2Ffix&target_branch=main",
                #"{"description":"One\u000aTwo \"2\" \\","source_branch":"agent/fix","target_branch":"main","title":"Draft: Fix"}"#,
                "iid", "https://h.example/acme/app/-/merge_requests/7"
            ),
        ])
    func bodies(
        provider: ProviderID, address: String, query: String, body: String, number: String, page: String
    ) throws {
        transport.answer(.json("[]"))
        transport.answer(.json("{\"\(number)\":7,\"html_url\":\"https://elsewhere.example/\"}", status: 201))
        let opened = try open(try api(provider), proposal(isDraft: true))
        #expect(opened.pullRequest.page.text == page && opened.isNew)
        #expect(
            transport.requests.map { "\($0.method) \($0.address)" } == ["GET \(address)?\(query)", "POST \(address)"])
        #expect(transport.requests.map(\.body) == ["", body])
        // The last five seconds are for the question what has become of it.
        #expect(transport.requests.map(\.deadline) == [15_000, 15_000])
    }

    @Test("takes the default branch if no base is given")
    func defaultBranch() throws {
        transport.answer(.json("{\"default_branch\":\"trunk\"}"), .json("[]"), .json("{\"number\":7}", status: 201))
        #expect(try open(api(.github), proposal(base: nil)).pullRequest.base == "trunk")
        #expect(transport.requests[0].address == "https://h.example/api/v3/repos/acme/app")
        #expect(transport.requests[2].body.contains("\"base\":\"trunk\""))
    }

    @Test("finds an open pull request of these branches in a list of 100 KB, and none of a fork, before it opens one")
    func found() throws {
        let entry = Self.gitHubEntry
        let others = [("Acme/app", "mallory/app"), ("agent/fix", "agent/fix2"), ("\"main\"", "\"next\"")]
        let foreign = others.map { entry.replacing($0.0, with: $0.1) }
        for provider in [ProviderID.github, .gitea] {
            let list = (foreign + [entry.replacing("7", with: "9")]).joined(separator: ",")
            transport.answer(.json("[\(list)\(String(repeating: " ", count: 100_000))]"))
            let opened = try open(api(provider), proposal())
            #expect(opened.pullRequest.number == 9 && !opened.isNew)
        }
        let fork =
            #"{"iid":7,"source_project_id":2,"target_project_id":1,"source_branch":"agent/fix","target_branch":"main"}"#
        transport.answer(.json("[\(fork),\(fork.replacing("7", with: "9").replacing("2", with: "1"))]"))
        let opened = try open(api(.gitlab), proposal())
        #expect(opened.pullRequest.number == 9 && !opened.isNew)
        #expect(transport.requests.allSatisfy { $0.method == "GET" })
    }

    @Test("looks for the pull request if an answer is lost or malformed")
    func lost() throws {
        for isThere in [true, false] {
            for loss in [.failure(.unreachable), .failure(.timedOut), .success(.json("{}", status: 201))]
                as [Result<HTTPResponse, TransportError>]
            {
                transport.answer(.json("[]"))
                transport.answer(loss)
                transport.answer(.json(isThere ? "[\(Self.gitHubEntry)]" : "[]"))
                let api = try api(.github)
                #expect((try? open(api, proposal()))?.pullRequest.number == (isThere ? 7 : nil))
                #expect(transport.requests.suffix(3).map(\.method) == ["GET", "POST", "GET"])
                #expect(transport.requests.last?.deadline == 20_000)
            }
        }
        transport.answer(.json("[]"))
        transport.fail(.interrupted)
        #expect(throws: PullRequestFault.failed(.interrupted)) { try open(api(.github), proposal()) }
    }

    @Test(
        "reports the reason of the host",
        arguments: [
            (
                ProviderID.github, 422,
                #"{"message":"Validation Failed","errors":[{"code":"custom","message":"No commits between main and x"}]}"#,
                PullRequestFault.reason("No commits between main and x")
            ),
            (
                .github, 422, #"{"errors":[{"resource":"PullRequest","field":"base","code":"invalid"}]}"#,
                .reason("base is invalid")
            ), (.github, 422, "<html>", .reason("status 422")),
            // As deep as a JSON text may be; with a level's time doubled, it would take minutes.
            (
                .github, 422,
                String(repeating: #"{"error":"#, count: 31) + #""deep""# + String(repeating: "}", count: 31),
                .reason("deep")
            ),
            (
                .github, 403, #"{"message":"Resource not accessible by integration"}"#,
                .permission("Pull requests: write")
            ), (.github, 403, #"{"message":"API rate limit exceeded"}"#, .access(.rateLimited(RateLimit()))),
            (.github, 401, "{}", .access(.tokenRejected)), (.github, 301, "{}", .access(.moved)),
            (.gitlab, 403, #"{"error":"insufficient_scope"}"#, .permission("api")),
            (.gitlab, 403, "{}", .access(.refused(status: 403))),
            (.gitlab, 400, #"{"message":{"title":["is too \u001b[2J"]}}"#, .reason("title is too \\x1b[2J")),
            (.gitlab, 409, #"{"message":["There is one: !5"]}"#, .reason("There is one: !5")),
            (.gitea, 404, #"{"message":"\u001b[2Jno base"}"#, .reason("\\x1b[2Jno base")),
            (.gitea, 403, "{}", .permission("write:repository")),
            (.gitea, 500, "{}", .access(.unavailable(status: 500))),
        ] as [(ProviderID, Int, String, PullRequestFault)])
    func faults(provider: ProviderID, status: Int, body: String, fault: PullRequestFault) throws {
        transport.answer(.json("[]"), .json(body, status: status), .json("[]"))
        #expect(throws: fault) { try open(api(provider), proposal()) }
    }

    @Test("offers none for a path that could lead to another part of the API")
    func paths() throws {
        let host = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        for path in ["acme", "acme/app/issues", ""] { #expect(host.provider.pullRequests(in: path) == nil) }
        let openID = try #require(SignInHost(configured: HostName(name: "git.example"), provider: .oidc))
        #expect(openID.provider.pullRequests(in: "acme/app") == nil)
    }
}
