import Staging
import Testing

extension Clients {
    @Suite("Clients of git's helpers") struct ClientTests {
        @Test("gets a stored token, and nobody is asked", arguments: Client.all)
        func fresh(client: Client) async throws {
            guard client.isHere() else { return }
            let fixture = try await client.fixture()
            let token = try await fixture.signedIn("monalisa", expiringIn: 28_800)
            try await client.start(with: fixture).ended().succeeded()
            #expect(fixture.server.count(of: .refresh) == 0 && fixture.server.count(of: .deviceCode) == 0)
            #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
            client.held("stored token", "works, and asks nobody")
        }

        @Test("gets a refreshed token after one refresh, alone and with four runs at once", arguments: Client.all)
        func expired(client: Client) async throws {
            guard client.isHere() else { return }
            for count in [1, 4] {
                let fixture = try await client.fixture()
                let token = fixture.server.issueToken(for: "monalisa", app: fixture.app)
                fixture.server.expireAccessTokens()
                try await fixture.remember(token, expiringIn: -10)
                let running = try (1...count).map { _ in try client.start(with: fixture) }
                for program in running { try await program.ended().succeeded() }
                #expect(fixture.server.count(of: .refresh) == 1, "\(count) at a time")
                #expect(fixture.server.refreshTokenReuses == 0 && fixture.server.count(of: .deviceCode) == 0)
                let items = try await fixture.session.items()
                #expect(items.map(\.password) == fixture.server.tokens.suffix(1).map(\.accessToken))
            }
            client.held("expired token, one and four at a time", "one refresh each")
        }

        @Test("ends in time with an error if there is no token and no person", arguments: Client.all)
        func nobody(client: Client) async throws {
            guard client.isHere() else { return }
            let fixture = try await client.fixture()
            let end = try await client.start(with: fixture).ended()
            #expect(end.status != 0)
            #expect(fixture.server.count(of: .deviceCode) == 0)
            let said = client.ownError ?? "gitspace: error: not signed in to \(fixture.host), and "
            #expect((end.output + end.errors).contains(said), "\(end.output)\(end.errors)")
            client.held(
                "no token, nobody there",
                client.ownError.map { "ends in time, saying: \($0)" } ?? "ends in time and says how to sign in")
        }

        @Test("continues after one sign-in at a terminal", arguments: Client.all.filter(\.signsInAtTerminal))
        func person(client: Client) async throws {
            guard client.isHere() else { return }
            let fixture = try await client.fixture()
            let terminal = try PseudoTerminal(columns: 200)
            let running = try client.start(with: fixture, on: terminal)
            try await fixture.answer(on: terminal)
            try await running.ended().succeeded()
            #expect(fixture.server.count(of: .deviceCode) == 1 && fixture.server.completedSignIns == 1)
            let extra = client.personsEnvironment.map { " with \($0.key)=\($0.value)" }.sorted().joined()
            client.held("no token, at a terminal\(extra)", "one sign-in, and it goes on")
        }
    }

    /// Libraries with their own implementation of git's protocol, whose caller must supply credentials.
    @Suite("Libraries that call no helper") struct HelperlessTests {
        struct Library: CustomTestStringConvertible {
            let name: String
            let clone: String

            var testDescription: String { name }
        }

        static let libraries = [
            Library(name: "dulwich", clone: "from dulwich import porcelain; porcelain.clone(url, 'clone')"),
            Library(
                name: "pygit2",
                clone: "pygit2.settings.set_ssl_cert_locations(ca, None); pygit2.clone_repository(url, 'clone')"),
        ]

        @Test("fails with its own error, and keeps the stored token", arguments: libraries)
        func clone(library: Library) async throws {
            let python = ["/usr/bin/python3", "-c"]
            let version = try RunningProgram.run(python + ["import \(library.name) as l; print(l.__version__)"])
            guard version.status == 0 else {
                return WorldRow.notRun(.clients, library.name, tried: "clone", because: "it is not installed")
            }
            let fixture = try await EndToEndFixture()
            let token = try await fixture.signedIn("monalisa")
            let script = "import \(library.name), sys; url, ca = sys.argv[1:]; \(library.clone)"
            let end = try await fixture.start(
                python + [script, fixture.address(), fixture.server.caFile],
                environment: ["NO_PROXY": "localhost", "REQUESTS_CA_BUNDLE": fixture.server.caFile]
            ).ended()
            #expect(end.status != 0)
            #expect(fixture.server.count(of: .gitRefs) >= 1, "\(end.errors)")
            #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
            let numbers = version.output.filter { $0.isNumber || $0 == "." || $0 == "," }
            WorldRow.add(
                .clients, library.name, numbers.replacing(",", with: "."), tried: "clone",
                result: "calls no credential helper")
        }
    }
}
