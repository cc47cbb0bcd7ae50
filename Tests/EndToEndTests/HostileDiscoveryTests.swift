import Staging
import Testing

/// A host that is its own issuer, and returns hostile documents of its endpoints.
@Suite("Hostile discovery")
struct HostileDiscoveryTests {
    @Test("requests no code or token and contacts no other host after a hostile document")
    func documents() async throws {
        let fixture = try await EndToEndFixture(settings: "provider = oidc\n[http]\nproxy =")
        let (host, own) = (fixture.host, "https://\(fixture.host)")
        for (name, answer, said) in Self.documents(own) {
            fixture.github.answer(.unknown, with: answer, times: nil)
            let terminal = try PseudoTerminal(columns: 200)
            let end = try await fixture.helper("get", on: terminal)
            #expect(end.output == "quit=1\n", "\(name): \(end.output)")
            #expect(terminal.text.contains(said.replacing("HOST", with: host)), "\(name): \(terminal.text)")
            #expect(!terminal.text.contains("1. Open this page"), "\(name)")
            fixture.github.answerGenuinely()
        }
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.github.requests.allSatisfy { $0.endpoint == .unknown && $0.request.method == "GET" })
        #expect(fixture.github.requests.allSatisfy { $0.request.headers["authorization"] == nil })
    }

    /// The responses in place of a document, and the error that a person sees.
    private static func documents(_ own: String) -> [(name: String, answer: ScriptedAnswer, said: String)] {
        func document(_ members: [String: String]) -> ScriptedAnswer {
            let all = [
                "issuer": own, "token_endpoint": own + "/token", "device_authorization_endpoint": own + "/device",
            ].merging(members) { $1 }.filter { !$0.value.isEmpty }
            let text = all.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
            return .answer(.text("{\(text)}", type: "application/json"))
        }
        let (elsewhere, absent) = (
            "publishes an endpoint on another host, evil.example", "does not publish its sign-in endpoints"
        )
        return [
            ("another issuer", document(["issuer": "https://evil.example"]), "another issuer: https://evil.example"),
            ("the issuer with a slash", document(["issuer": own + "/"]), "identifies itself as another issuer"),
            ("no issuer", document(["issuer": ""]), "identifies itself as another issuer"),
            ("http", document(["token_endpoint": "http://HOST/token"]), "not an https URL (token_endpoint)"),
            ("http keys", document(["jwks_uri": "http://HOST/keys"]), "not an https URL (jwks_uri)"),
            (
                "a user in an address", document(["userinfo_endpoint": "https://a@HOST/"]),
                "not an https URL (userinfo_endpoint)"
            ),
            ("a foreign token endpoint", document(["token_endpoint": "https://evil.example/t"]), elsewhere),
            (
                "a foreign device endpoint", document(["device_authorization_endpoint": "https://evil.example/d"]),
                elsewhere
            ),
            ("no device flow", document(["device_authorization_endpoint": ""]), "offers neither the device flow"),
            ("no token endpoint", document(["token_endpoint": ""]), "does not publish this endpoint: token_endpoint"),
            ("a redirect", .redirect(to: "https://evil.example/"), absent),
            ("a loop of redirects", .redirect(to: own + "/.well-known/openid-configuration"), absent),
            ("a page", .status(200), "sent a web page instead of its sign-in endpoints (status 200)"),
            ("nothing", .status(404), absent), ("trouble", .status(503), "server error (status 503)"),
            ("megabytes", .endlessBody, "sent an unexpected response"),
            ("headers without end", .headerFlood, "sent an unexpected response"),
            ("half a document", .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"issuer"), "cannot reach"),
        ]
    }
}
