import TestSupport
import Testing

@Suite("Account of a GitHub token")
struct GitHubAccountTests {
    private let transport = ScriptedTransport()
    private let host: SignInHost

    init() throws { host = try #require(SignInHost(builtIn: HostName(name: "github.com"))) }

    private func ask() -> Holder { GitHub(host).holder(of: Secret("gho_1"), over: transport) }

    private func ask(_ response: HTTPResponse) -> Holder {
        transport.answer(response)
        return ask()
    }

    @Test("sends the token to the API as a bearer token")
    func request() throws {
        #expect(ask(GitHubAnswers.user("octocat")) == .account(names: ["octocat"], id: 1))
        let sent = try #require(transport.requests.first)
        #expect(sent.method == "GET" && sent.address == "https://api.github.com/user")
        #expect(sent.authorization == "Bearer gho_1" && sent.accept == "application/vnd.github+json")
        #expect(sent.body.isEmpty)
    }

    @Test("distinguishes a dead token from a server that cannot answer")
    func rejected() {
        #expect(ask(GitHubAnswers.badCredentials) == .rejected)
        #expect(ask(.page(status: 401)) == .rejected)
        #expect(ask(.page(status: 500)) == .unknown())
        #expect(ask(.json(#"{"message":"rate limit"}"#, status: 403)) == .unknown())
        #expect(ask(.json(#"{"login":"octocat"}"#, status: 302)) == .unknown())
    }

    @Test(
        "refuses names with control characters or other signs",
        arguments: [
            #""""#, #""a b""#, #""a\nquit=1""#, #""\u001b[2K""#, #""ünicode""#, #""a/b""#, "5", "null", #""a@b""#,
            "\"" + String(repeating: "a", count: 256) + "\"",
        ])
    func names(json: String) {
        #expect(ask(.json(#"{"login":\#(json)}"#)) == .unknown())
    }

    @Test(
        "accepts every kind of name on GitHub",
        arguments: ["monalisa", "up_the_irons", "a-b", "Octo-Cat_acme", "web-flow", "x.y"])
    func goodNames(name: String) {
        #expect(ask(GitHubAnswers.user(name)) == .account(names: [name], id: 1))
    }

    @Test("concludes nothing from a transport error, and reports Ctrl-C")
    func faults() {
        transport.fail(.timedOut)
        #expect(ask() == .unknown(.timedOut))
        transport.fail(.interrupted)
        #expect(ask() == .interrupted)
    }
}
