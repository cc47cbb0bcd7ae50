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
        static let libraries = [
            ("dulwich", "from dulwich import porcelain; porcelain.clone(url, 'clone')"),
            ("pygit2", "pygit2.settings.set_ssl_cert_locations(ca, None); pygit2.clone_repository(url, 'clone')"),
        ]

        @Test("fails with its own error, and keeps the stored token", arguments: libraries)
        func clone(library: String, clone: String) async throws {
            let python = ["/usr/bin/python3", "-c"]
            let version = try RunningProgram.run(python + ["import \(library) as l; print(l.__version__)"])
            guard version.status == 0 else {
                return WorldRow.notRun(.clients, library, tried: "clone", because: "it is not installed")
            }
            let fixture = try await EndToEndFixture()
            let token = try await fixture.signedIn("monalisa")
            let script = "import \(library), sys; url, ca = sys.argv[1:]; \(clone)"
            let end = try await fixture.start(
                python + [script, fixture.address(), fixture.server.caFile],
                environment: ["NO_PROXY": "localhost", "REQUESTS_CA_BUNDLE": fixture.server.caFile]
            ).ended()
            #expect(end.status != 0)
            #expect(fixture.server.count(of: .gitRefs) >= 1, "\(end.errors)")
            #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
            let numbers = version.output.filter { $0.isNumber || $0 == "." || $0 == "," }
            WorldRow.add(
                .clients, library, numbers.replacing(",", with: "."), tried: "clone",
                result: "calls no credential helper")
        }
    }

    /// A server that refuses every token: git-lfs asks again and again, and reports each token as rejected.
    @Suite("git-lfs at a server that refuses every token") struct LFSRefusalTests {
        /// Git LFS accepts its own header and the WWW-Authenticate of RFC 9110.
        static let challenges = ["LFS-Authenticate", "WWW-Authenticate"]

        enum Start: CaseIterable {
            case live, expired
            /// A token pair that another program stored.
            case brought
            /// A token pair in git's cache daemon, where there is no keyring.
            case inMemory

            func prepare(_ fixture: EndToEndFixture) async throws {
                let token = fixture.server.issueToken(for: "monalisa", app: fixture.app)
                switch self {
                case .live: try await fixture.remember(token, expiringIn: 28_800)
                case .expired:
                    fixture.server.expireAccessTokens()
                    try await fixture.remember(token, expiringIn: -10)
                case .brought, .inMemory: try await fixture.bring(token, expiringIn: 28_800)
                }
            }
        }

        /// Starts a push of a large file to the server, which refuses every token.
        private static func push(
            from client: Client, _ fixture: EndToEndFixture, _ challenge: String, on terminal: PseudoTerminal? = nil
        ) throws -> RunningProgram {
            let header = Header(challenge, "Basic realm=\"Git LFS\"")
            fixture.server.answer(.lfs, with: .status(401, headers: [header]), times: nil)
            let script = """
                git init --quiet one; cd one; git remote add origin \(fixture.address())
                \(Client.commitLargeFile)
                git lfs push origin --all
                """
            return try client.start(with: fixture, on: terminal, script: script)
        }

        @Test("tries two tokens at most, then ends", arguments: Client.lfsWithEveryGit, challenges)
        func forEver(client: Client, challenge: String) async throws {
            guard client.isHere() else { return }
            for start in Start.allCases {
                let fixture = try await client.fixture(session: start == .inMemory ? .noProvider : .keyring)
                try await start.prepare(fixture)
                #expect(try await Self.push(from: client, fixture, challenge).ended().status != 0, "\(start)")
                let tried = Set(fixture.server.requests(to: .lfs).compactMap { $0.basicCredentials?.password })
                #expect((1...2).contains(tried.count), "\(tried.count) tokens, \(start)")
                #expect(fixture.server.count(of: .refresh) <= (start == .expired ? 2 : 1), "\(start)")
            }
            WorldRow.add(
                .clients, client.program, client.version ?? "",
                tried: "push to a server that refuses every token, with \(client.git)",
                result: "two tokens at most, then it ends")
        }

        @Test("signs in once at a terminal, then ends", arguments: Client.lfsWithEveryGit, challenges)
        func atTerminal(client: Client, challenge: String) async throws {
            guard client.isHere() else { return }
            let fixture = try await client.fixture()
            let terminal = try PseudoTerminal(columns: 200)
            let running = try Self.push(from: client, fixture, challenge, on: terminal)
            try await fixture.answer(on: terminal)
            #expect(try await running.ended().status != 0, "\(terminal.screen)")
            #expect(fixture.server.count(of: .deviceCode) == 1 && fixture.server.completedSignIns == 1)
            #expect(terminal.screen.contains("\(fixture.host) rejected"), "\(terminal.screen)")
            WorldRow.add(
                .clients, client.program, client.version ?? "",
                tried: "push at a terminal to a server that refuses every token, with \(client.git)",
                result: "one sign-in, then it ends and names the refusal")
        }
    }

    /// Git LFS has no way to a gateway, and git runs it during a clone.
    @Suite("git-lfs behind a gateway") struct LFSGatewayTests {
        @Test("a clone ends at once, with pointers in place of the files", arguments: Git.all)
        func clone(git: Git) async throws {
            guard let lfs = Client.lfs.first, lfs.isHere() else { return }
            let fixture = try await EndToEndFixture(git: git)
            try await fixture.signedIn("monalisa")
            let pointer = """
                version https://git-lfs.github.com/spec/v1
                oid sha256:\(String(repeating: "4", count: 64))
                size 9

                """
            try fixture.github.createRepository(
                "acme/large", writers: ["monalisa"],
                files: [".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": pointer])
            let gateway = try await GatewayBox(fixture, "--repository", fixture.address("acme/large"))
            let end = try await gateway.run(
                """
                git lfs install --skip-repo >/dev/null
                git clone --quiet \(fixture.address("acme/large")) work
                git -C work status --porcelain
                cat work/a.bin
                """)
            #expect(end.status == 0 && end.output == pointer, "\(end.output)\(end.errors)")
            WorldRow.add(
                .clients, lfs.program, lfs.version ?? "", tried: "clone through a gateway, with \(git)",
                result: "ends at once, with pointers in place of the files")
        }
    }
}
