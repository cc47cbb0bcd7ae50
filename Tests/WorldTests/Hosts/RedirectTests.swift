import Staging
import Testing

extension Hosts {
    /// OpenID servers that compare the whole redirect URI, including the port; only django-allauth has a device flow.
    ///
    /// Tests/Support/sign-in-host.py starts them.
    @Suite("Servers that compare the redirect's port", .serialized) struct RedirectTests {
        /// A server, by its folder below .build/world.
        enum Server: String, CustomTestStringConvertible, CaseIterable {
            case lemonldapBookworm = "lemonldap-bookworm"
            case lemonldapTrixie = "lemonldap-trixie"
            case lemonldapSid = "lemonldap-sid"
            case canaille
            case allauth = "python"

            var program: String {
                switch self {
                case .canaille: "Canaille"
                case .allauth: "django-allauth"
                default: "LemonLDAP::NG"
                }
            }

            var isLemonLDAP: Bool { self != .canaille && self != .allauth }

            var system: String {
                switch self {
                case .lemonldapBookworm: "Debian 12"
                case .lemonldapTrixie: "Debian 13"
                case .lemonldapSid: "Debian sid"
                case .canaille, .allauth: WorldRow.machine
                }
            }

            var testDescription: String { isLemonLDAP ? rawValue : program }

            /// Starts the server; if it is not installed, returns `nil` and reports a skip.
            func start(tried: String) async throws -> RealServer<Announcement>? {
                let world = BuiltFiles.root + ".build/world/"
                guard FileManager.default.fileExists(atPath: world + "done-" + rawValue) else {
                    WorldRow.notRun(
                        .hosts, program, on: system, tried: tried, because: "Tests/World/newest.sh has not fetched it")
                    return nil
                }
                let kind = isLemonLDAP ? "lemonldap" : self == .canaille ? "canaille" : "allauth"
                return try await RealServer([BuiltFiles.script("sign-in-host.py"), kind, world + rawValue])
            }
        }

        struct Announcement: Decodable {
            let address: String
            let authority: String
            let redirect: String
            let issuer: String
            let version: String
            var host: String { String(address.dropFirst("https://".count)) }
        }

        /// Runs a program on a desktop's terminal, and signs in as dwho in the browser.
        private static func signIn(
            _ command: [String], on host: RealHost, at server: RealServer<Announcement>
        ) async throws -> String {
            let home = host.session.home
            try await host.session.write(
                program: home + "/bin/browser",
                "#!/bin/sh\nprintf %s \"$1\" >'\(home)/new' && mv '\(home)/new' '\(home)/address'")
            let terminal = try PseudoTerminal(columns: 200)
            let program = try host.start(
                command, environment: ["DISPLAY": ":77", "PATH": host.session.path()], on: terminal)
            try await eventually("keys that are taken: \(terminal.text)", by: program) {
                // A server with a device flow gets another line.
                terminal.text.contains(/Press Enter|Enter opens/) && !terminal.isCooked
            }
            terminal.type("\n")
            let address = try await eventually("an address in the browser: \(terminal.text)", by: program) {
                FileManager.default.contents(atPath: home + "/address")
            }
            try FileManager.default.removeItem(atPath: home + "/address")
            let page = try await server.tell("sign-in \(String(decoding: address, as: UTF8.self))")
            #expect(page.contains("Signed in to \(host.host) as dwho"), "\(page)")
            let end = try await program.ended()
            #expect(end.status == 0 && terminal.screen.contains("Signed in as dwho"), "\(terminal.screen)")
            return terminal.screen
        }

        /// Lets the token expire, and returns the item once git has renewed it without output.
        private static func renewed(on host: RealHost) async throws -> KeyringItem {
            let item = try #require(try await host.session.items().first)
            try await host.session.age(expiringIn: -10)
            try await host.git("ls-remote", host.repository).succeeded(silently: true)
            let renewed = try #require(try await host.session.items().first)
            #expect(renewed.password != item.password)
            return renewed
        }

        @Test(
            "clones after a sign-in with oauthRedirectURL, refreshes silently, and logs out", arguments: Server.allCases
        )
        func circle(server: Server) async throws {
            let tried = "sign in by the browser with oauthRedirectURL, clone, refresh, log-out with --revoke"
            guard let real = try await server.start(tried: tried) else { return }
            let announcement = real.announcement
            let host = try await RealHost(
                announcement.host, authorities: [announcement.authority], git: .system,
                settings: """
                    provider = oidc
                    oauthIssuer = \(announcement.issuer)
                    oauthClientId = gitspace
                    oauthRedirectURL = \(announcement.redirect)
                    gitspaceBrowser = browser
                    oauthScopes = openid profile \(server.isLemonLDAP ? "offline_access" : "")
                    """)
            let screen = try await Self.signIn(["git", "clone", host.repository, "clone"], on: host, at: real)
            // LemonLDAP::NG grants offline_access only if the request asks for consent; the sign-in prints that hint.
            if server.isLemonLDAP {
                let setting = "credential.https://\(host.host).oauthPrompt"
                #expect(
                    screen.contains("issued no refresh token") && screen.contains("\(setting) consent"), "\(screen)")
                #expect(try await host.git("config", "--global", setting, "consent").status == 0)
                _ = try await Self.signIn([BuiltFiles.helper, "login", host.host, "--force"], on: host, at: real)
            }
            let item = try #require(try await host.session.items().first)
            #expect(item.attributes["user"] == "dwho" && item["oauth_refresh_token"] != nil)

            let renewed = try await Self.renewed(on: host)
            #expect(try await real.tell("userinfo \(renewed.password)") == "dwho")

            let logout = try await host.verb("logout", host.host, "--revoke")
            let revokes = server == .lemonldapSid || server == .allauth
            #expect((logout.status == 0) == revokes, "\(logout.errors)")
            #expect(try await real.tell("userinfo \(renewed.password)").isEmpty == revokes)
            if !revokes {
                // Canaille requires client authentication for revocation, which a public client cannot give.
                let reason = server == .canaille ? "(status 401)" : "cannot revoke tokens at \(host.host)"
                #expect(logout.errors.contains(reason), "\(logout.errors)")
                #expect(try await host.verb("logout", host.host).status == 0)
            }
            #expect(try await host.session.items().isEmpty)
            let consent = !server.isLemonLDAP ? "" : "; a refresh token is issued with oauthPrompt=consent alone"
            let revocation = server == .canaille ? "nothing for a public client" : "no token"
            WorldRow.add(
                .hosts, server.program, announcement.version, on: server.system, tried: tried,
                result: "works\(consent)\(revokes ? "" : "; it revokes \(revocation), which is told")")
        }

        @Test("clones after a sign-in by the device flow, refreshes silently, and revokes")
        func device() async throws {
            let tried = "sign in by the device flow, clone, refresh, log-out with --revoke"
            guard let real = try await Server.allauth.start(tried: tried) else { return }
            let announcement = real.announcement
            let host = try await RealHost(
                announcement.host, authorities: [announcement.authority], git: .system,
                settings: """
                    provider = oidc
                    oauthIssuer = \(announcement.issuer)
                    oauthClientId = gitspace
                    oauthScopes = openid profile
                    """)
            let clone = try await host.clone {
                try await real.tell("sign-in \(announcement.issuer)/identity/o/device?code=\($0)")
            }
            #expect(clone.end.status == 0 && clone.screen.contains("Signed in as dwho"), "\(clone.screen)")
            let renewed = try await Self.renewed(on: host)
            try await host.verb("logout", host.host, "--revoke").succeeded()
            #expect(try await real.tell("userinfo \(renewed.password)").isEmpty)
            #expect(try await host.session.items().isEmpty)
            WorldRow.add(
                .hosts, Server.allauth.program, announcement.version, tried: tried, result: "works, and revokes")
        }
    }
}
