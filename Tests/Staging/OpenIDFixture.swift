import Foundation
import StandIn

/// A git host whose tokens another server issues: the stand-in as the host, and a real OpenID provider.
package struct OpenIDFixture {
    /// The clients that the provider knows, by how they authenticate.
    package enum Client: String, CaseIterable, Sendable {
        /// A public client, with its ID alone.
        case publicClient = "gitspace-public"
        case secret = "gitspace-secret"
        /// A client that signs an assertion (RFC 7523).
        case assertion = "gitspace-jwt"
    }

    package let provider: OpenIDServer
    /// The git host, with a person's session.
    package let fixture: EndToEndFixture
    private let client: Client

    /// Returns `nil`, and reports a skip, if the provider is not installed.
    package init?(
        _ client: Client = .publicClient, plugin: String = "oidc", issuer: String? = nil, settings: String = ""
    ) async throws {
        guard let provider = try await OpenIDServer.running() else { return nil }
        self.provider = provider
        self.client = client
        let proof =
            switch client {
            case .publicClient: ""
            case .secret: "oauthClientSecret = s3cret"
            case .assertion:
                "oauthClientKey = \(provider.announcement.key)\noauthClientKeyId = client-key-1\n"
                    + "oauthAssertionAudience = endpoint"
            }
        fixture = try await EndToEndFixture(
            settings: """
                provider = oidc
                oauthClientId = \(client.rawValue)
                oauthIssuer = \(issuer ?? provider.issuer(plugin))
                \(proof)
                \(settings)
                [http]
                proxy =
                """)
        let trusted = fixture.session.home + "/authority.pem"
        let ca = provider.announcement.authority
        let both = try [trusted, ca].map { try String(contentsOfFile: $0, encoding: .utf8) }
        try both.joined().write(to: trusted)
        try fixture.github.createRepository("acme/open", writers: ["octocat"])
        let userinfo = provider.issuer(plugin) + "/userinfo"
        fixture.github.admitTokens { token in
            // Ask the provider's userinfo endpoint whose the token is, as a git server that trusts this issuer would.
            let header = "Authorization: Bearer \(token)"
            let answer = try? ChildProcess.run(
                ["curl", "--disable", "--silent", "--fail", "--cacert", ca, "--header", header, userinfo])
            return answer?.outputText.contains(#""preferred_username":"octocat""#) == true ? "octocat" : nil
        }
    }

    package var repository: String { fixture.address("acme/open") }

    /// Runs git on a terminal, and signs in there as a person.
    package func signIn(
        _ arguments: [String]? = nil, as user: String = "octocat", plugin: String = "oidc",
        beforeApproval: () async throws -> Void = {}
    ) async throws -> (end: RunningProgram.End, terminal: PseudoTerminal) {
        let terminal = try PseudoTerminal(columns: 200)
        let git = try fixture.startGit(arguments ?? ["ls-remote", repository], on: terminal)
        let code = try await terminal.signInCode(of: git)
        try await beforeApproval()
        try await provider.tell("approve \(plugin) \(client.rawValue) \(code) \(user)")
        return (try await git.ended(), terminal)
    }

    /// The lines of the provider's log that contain these words.
    package func log(about words: String) async throws -> [String] {
        let text = try JSONDecoder().decode(String.self, from: Data(try await provider.tell("log").utf8))
        return text.split(separator: "\n").filter { $0.contains(words) }.map(String.init)
    }
}

/// A real OpenID provider, glewlwyd, started by Tests/Support/openid-provider.sh.
///
/// One serves all tests of a process; each test has its own git host, and therefore its own locks and grants.
package typealias OpenIDServer = RealServer<OpenIDAnnouncement>

package struct OpenIDAnnouncement: Decodable, Sendable {
    /// The provider's address: `https://localhost:PORT`.
    fileprivate let address: String
    /// The certificate file of the authority that signed the provider's certificate.
    package let authority: String
    /// The file of the private key that the client `gitspace-jwt` signs with.
    fileprivate let key: String
}

private let shared = Task { try await OpenIDServer([BuiltFiles.script("openid-provider.sh")]) }

extension OpenIDServer {
    /// Returns the server; without its packages, returns `nil` and reports a skip.
    package static func running() async throws -> OpenIDServer? {
        guard FileManager.default.fileExists(atPath: BuiltFiles.root + ".build/openid-provider/done") else {
            Skipped.note(
                "a sign-in at a real OpenID provider",
                because: "glewlwyd is not here; packaging/dependencies.sh test fetches it")
            return nil
        }
        return try await shared.value
    }

    /// The issuer of one of the provider's plugins: `oidc`, `oidcrs` or `oidcshort`.
    package func issuer(_ plugin: String = "oidc") -> String { "\(announcement.address)/api/\(plugin)" }
}
