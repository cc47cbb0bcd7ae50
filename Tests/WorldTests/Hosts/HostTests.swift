import Staging
import Testing

extension Hosts {
    /// git http-backend behind Apache, with a module that authenticates: Tests/Support/apache.py.
    @Suite("Apache as a git host") struct ApacheTests {
        private struct Server: Decodable {
            let address: String
            let authority: String
            let kerberos: String
            /// The version of the authentication module.
            let version: String
        }

        private static func server(
            _ module: String, _ arguments: String..., tried: String
        ) async throws -> RealServer<Server>? {
            guard FileManager.default.fileExists(atPath: "/usr/lib/apache2/modules/\(module).so") else {
                WorldRow.notRun(.hosts, module, tried: tried, because: "it is not installed")
                return nil
            }
            return try await RealServer([BuiltFiles.script("apache.py")] + arguments)
        }

        // Serialized: glewlwyd with SQLite answers concurrent sign-ins with server errors.
        @Test(
            "accepts a token of glewlwyd by mod_auth_openidc, as a password and as Bearer", .serialized,
            arguments: Git.all)
        func openID(git: Git) async throws {
            let tried = "git host for tokens of glewlwyd: sign in, clone, refresh"
            guard let issuer = try await OpenIDServer.running() else {
                return WorldRow.notRun(.hosts, "mod_auth_openidc", tried: tried, because: "glewlwyd is not here")
            }
            for scheme in git.knowsState ? ["Basic", "Bearer"] : ["Basic"] {
                let place = scheme == "Basic" ? "basic" : "header"
                guard
                    let real = try await Self.server(
                        "mod_auth_openidc", "oauth", place, issuer.issuer(), issuer.announcement.authority, tried: tried
                    )
                else { return }
                let server = real.announcement
                let host = try await RealHost(
                    server.address, authorities: [server.authority, issuer.announcement.authority], git: git,
                    settings: """
                        provider = oidc
                        oauthClientId = gitspace-public
                        oauthIssuer = \(issuer.issuer())
                        \(scheme == "Bearer" ? "gitspaceAuthType = bearer" : "")
                        """)
                let clone = try await host.clone { try await issuer.tell("approve oidc gitspace-public \($0) octocat") }
                #expect(clone.end.status == 0 && clone.screen.contains("Signed in as octocat"), "\(clone.screen)")
                try await host.session.age(expiringIn: -10)
                try await host.git("ls-remote", host.repository).succeeded(silently: true)
                let last = try JSONDecoder().decode([String].self, from: Data(try await real.tell("log").utf8)).last
                #expect(last?.hasPrefix("200 ") == true && last?.hasSuffix(" \(scheme)") == true, "\(last ?? "")")
                WorldRow.add(
                    .hosts, "mod_auth_openidc", server.version, tried: tried, result: "\(git), \(scheme): all works")
            }
        }

        @Test("accepts a Kerberos ticket, and our helper stays silent without one", arguments: Git.all)
        func kerberos(git: Git) async throws {
            let tried = "a host that answers Negotiate (Kerberos)"
            for program in ["/usr/sbin/krb5kdc", "/usr/sbin/kadmin.local", "/usr/bin/kinit"]
            where !FileManager.default.isExecutableFile(atPath: program) {
                return WorldRow.notRun(.hosts, "mod_auth_gssapi", tried: tried, because: "\(program) is not installed")
            }
            guard let real = try await Self.server("mod_auth_gssapi", "kerberos", tried: tried) else { return }
            let server = real.announcement
            // The host offers Kerberos and a sign-in, as a GitLab can; the person wants only Kerberos.
            for settings in ["", "provider = gitlab\noauthClientId = never-used"] {
                let host = try await RealHost(
                    server.address, authorities: [server.authority], git: git, settings: settings,
                    more: "[http]\nemptyAuth = true")
                let environment = ["KRB5_CONFIG": server.kerberos, "KRB5CCNAME": "FILE:\(host.session.home)/ticket"]
                try await host.session.run(["kinit", "alice"], environment: environment, input: "wonderland\n")
                    .succeeded()
                let terminal = try PseudoTerminal(columns: 200)
                let clone = try await host.git(
                    "clone", "--quiet", host.repository, "clone", environment: environment, on: terminal)
                let warning = "warning: You appear to have cloned an empty repository.\n"
                #expect(clone.status == 0 && terminal.screen == warning, "\(terminal.screen)")
                #expect(try await host.session.items().isEmpty)
            }

            // Without a ticket, git prompts for name and password, and the server rejects them.
            let host = try await RealHost(server.address, authorities: [server.authority], git: git)
            let terminal = try PseudoTerminal(columns: 200)
            let asked = try host.start(
                ["git", "ls-remote", host.repository], environment: ["KRB5_CONFIG": server.kerberos], on: terminal)
            try await terminal.type("alice\n", after: "Username for 'https://\(host.host)': ")
            try await terminal.type("wonderland\n", after: "Password for 'https://alice@\(host.host)': ")
            #expect(try await asked.ended().status == 128)
            #expect(terminal.screen.contains("Authentication failed"), "\(terminal.screen)")
            #expect(!terminal.screen.contains("gitspace"), "\(terminal.screen)")
            #expect(try await host.session.items().isEmpty)
            WorldRow.add(
                .hosts, "mod_auth_gssapi", server.version, tried: tried,
                result: """
                    \(git): with a ticket and http.emptyAuth works, and asks nobody; without one git asks, and nothing is \
                    stored
                    """)
        }
    }

    /// nginx with HTTP/2 in front of a git host: Tests/Support/nginx.py.
    @Suite("A host behind nginx") struct NginxTests {
        private struct Announcement: Decodable {
            let port: Int
            let authority: String
            let version: String
        }

        @Test("git clones over HTTP/2, and clones and pushes through a gateway")
        func gateway() async throws {
            let tried = "git host with HTTP/2: clone, also through a gateway, and push through it"
            guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") else {
                return WorldRow.notRun(.hosts, "nginx", tried: tried, because: "it is not installed")
            }
            let nginx = try await RealServer<Announcement>([BuiltFiles.script("nginx.py")])
            let host = "localhost:\(nginx.announcement.port)"
            let fixture = try await EndToEndFixture(
                host: host,
                settings: """
                    provider = github
                    [http "https://\(host)/"]
                    proxy =
                    sslCAInfo = \(nginx.announcement.authority)
                    """)
            try await nginx.tell("serve \(fixture.server.port)")
            try await fixture.signedIn("monalisa")
            try await fixture.git("clone", "--quiet", fixture.address(), "direct").succeeded()
            let gateway = try await GatewayBox(fixture, "--repository", fixture.address(), "--branch", "agent/*")
            try await gateway.clone()
            try await gateway.push(to: "agent/change").succeeded()
            let refused = try await gateway.push(to: "main")
            #expect(refused.status != 0 && refused.errors.contains("remote rejected"), "\(refused.errors)")
            let pushed = try await fixture.git("ls-remote", fixture.address(), "agent/change")
            #expect(pushed.status == 0 && pushed.output.contains("refs/heads/agent/change"), "\(pushed.errors)")
            let protocols = try await nginx.tell("protocols")
            #expect(protocols.contains("HTTP/2.0"), "\(protocols)")
            WorldRow.add(.hosts, "nginx", nginx.announcement.version, tried: tried, result: "works; \(protocols)")
        }
    }

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
            #expect(try await host.git("ls-remote", host.repository, on: terminal).status != 0)
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
