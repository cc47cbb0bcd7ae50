import Staging
import Testing

extension Clients {
    /// A server that refuses every token: git-lfs asks again and again, and reports each token as rejected.
    @Suite("git-lfs at a server that refuses every token") struct LFSRefusalTests {
        /// Git LFS accepts its own header and the WWW-Authenticate of RFC 9110.
        static let challenges = ["LFS-Authenticate", "WWW-Authenticate"]

        /// The stored credential at the start.
        enum Start: CaseIterable {
            case live
            case expired
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
                let end = try await Self.push(from: client, fixture, challenge).ended()
                #expect(end.status != 0, "\(start)")
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
            try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
            #expect(try await running.ended().status != 0, "\(terminal.screen)")
            #expect(fixture.server.count(of: .deviceCode) == 1 && fixture.server.completedSignIns == 1)
            #expect(terminal.screen.contains("\(fixture.host) rejected"), "\(terminal.screen)")
            WorldRow.add(
                .clients, client.program, client.version ?? "",
                tried: "push at a terminal to a server that refuses every token, with \(client.git)",
                result: "one sign-in, then it ends and names the refusal")
        }
    }
}
