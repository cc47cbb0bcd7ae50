import Staging
import Testing

extension Hosts {
    /// GitLab's OAuth implementation, the gems Doorkeeper and its OpenID Connect, with GitLab's settings:
    /// Tests/Support/gitlab-oauth.rb.
    @Suite("GitLab's OAuth gems") struct GitLabOAuthTests {
        private struct Server: Decodable {
            let address: String
            let authority: String
            let client: String
            let secret: String
            let versions: [String: String]

            var host: String { String(address.dropFirst("https://".count)) }
        }

        /// A server for one test; if a gem is missing, returns `nil` and reports a skip.
        private static func server(tried: String) async throws -> RealServer<Server>? {
            let gems = ["doorkeeper/openid_connect", "active_record", "sqlite3", "puma"].map { "require '\($0)'" }
            guard (try? RunningProgram.run(["ruby", "-rrails", "-e", gems.joined(separator: ";")]).status) == 0 else {
                WorldRow.notRun(.hosts, "doorkeeper", tried: tried, because: "it is not installed")
                return nil
            }
            return try await RealServer([BuiltFiles.script("gitlab-oauth.rb")])
        }

        private static func row(_ server: Server, _ git: Git, tried: String, result: String) {
            WorldRow.add(
                .hosts, "doorkeeper", server.versions["doorkeeper"] ?? "", tried: tried, result: "\(git): \(result)")
        }

        @Test(
            "names \"Confidential\" as the cause if it is left on; otherwise clones, and uses each pair once",
            arguments: Git.all)
        func publicClient(git: Git) async throws {
            let tried = "sign in, clone, refresh, reuse of a pair, log-out with --revoke, as GitLab is configured"
            guard let real = try await Self.server(tried: tried) else { return }
            let server = real.announcement
            let host = try await RealHost(
                server.host, authorities: [server.authority], git: git,
                settings: "provider = gitlab\noauthClientId = \(server.client)")
            let terminal = try PseudoTerminal(columns: 200)
            let refused = try await host.git("ls-remote", host.repository, on: terminal)
            #expect(refused.status != 0)
            let said = try #require(terminal.screen.firstRange(of: "its app is confidential, or the ID is unknown"))
            #expect(terminal.screen[said.upperBound...].contains("untick \"Confidential\""), "\(terminal.screen)")
            #expect(try await host.session.items().isEmpty)

            try await real.tell("confidential no")
            let clone = try await host.clone { try await real.tell("approve \($0)") }
            #expect(clone.end.status == 0 && clone.screen.contains("Signed in as octocat"), "\(clone.screen)")
            let item = try #require(try await host.session.items().first)
            #expect(item.attributes["user"] == "octocat" && item["oauth_refresh_token"] != nil)
            let check = try await host.verb("check", host.repository)
            #expect(
                check.output.contains("Read: yes") && check.output.contains("Push: yes"),
                "\(check.output)\(check.errors)")

            try await host.session.age(expiringIn: -10)
            try await host.git("ls-remote", host.repository).succeeded(silently: true)
            let renewed = try #require(try await host.session.items().first)
            #expect(renewed.password != item.password)
            #expect(renewed["oauth_refresh_token"] != item["oauth_refresh_token"])

            try await host.session.put(item)
            let reuse = try await host.verb("refresh", host.host)
            #expect(reuse.status == 1 && reuse.errors.contains("has ended (invalid_grant)"), "\(reuse.errors)")
            try await host.session.put(renewed)
            try await host.verb("logout", host.host, "--revoke").succeeded()
            try await host.session.put(renewed)
            let revoked = try await host.verb("status", host.host, "--json")
            #expect(revoked.output.contains("\"revoked\""), "\(revoked.output)")
            Self.row(
                server, git, tried: tried, result: "all works; with Confidential left on, the message names it first")
        }

        @Test("signs in with the secret of a confidential client, and reports a wrong one")
        func secret() async throws {
            let tried = "sign in with Confidential on and oauthClientSecret"
            guard let real = try await Self.server(tried: tried) else { return }
            let server = real.announcement
            for secret in ["wrong", server.secret] {
                let host = try await RealHost(
                    server.host, authorities: [server.authority], git: .system,
                    settings: "provider = gitlab\noauthClientId = \(server.client)\noauthClientSecret = \(secret)")
                guard secret == server.secret else {
                    let terminal = try PseudoTerminal(columns: 200)
                    #expect(try await host.git("ls-remote", host.repository, on: terminal).status != 0)
                    #expect(terminal.screen.contains("or its secret or key is wrong"), "\(terminal.screen)")
                    continue
                }
                let clone = try await host.clone { try await real.tell("approve \($0)") }
                #expect(clone.end.status == 0, "\(clone.screen)")
                try await host.session.age(expiringIn: -10)
                #expect(try await host.git("ls-remote", host.repository).status == 0)
            }
            Self.row(server, .system, tried: tried, result: "works, and refreshes; a wrong secret is told as one")
        }

        @Test("names the account as an issuer, in the userinfo response alone")
        func issuer() async throws {
            let tried = "as issuer (provider=oidc)"
            guard let real = try await Self.server(tried: tried) else { return }
            let server = real.announcement
            try await real.tell("confidential no")
            let host = try await RealHost(
                server.host, authorities: [server.authority], git: .system,
                settings: """
                    provider = oidc
                    oauthClientId = \(server.client)
                    oauthScopes = openid read_repository write_repository
                    oauthDeviceAuthURL = /oauth/authorize_device
                    """)
            let clone = try await host.clone { try await real.tell("approve \($0)") }
            #expect(clone.end.status == 0 && clone.screen.contains("Signed in as octocat"), "\(clone.screen)")
            try await host.session.age(expiringIn: -10)
            #expect(try await host.git("ls-remote", host.repository).status == 0)
            Self.row(server, .system, tried: tried, result: "works; the account is the nickname")
        }
    }
}
