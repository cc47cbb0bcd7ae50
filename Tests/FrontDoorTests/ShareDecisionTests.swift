import CredentialCore
import FrontDoor
import ShareClient
import Testing

@Suite("What the front door does where another machine shares its sign-in")
struct ShareDecisionTests {
    private let shares = ScriptedShares()
    private var keyring = FrontDoor.SearchResult.absent

    /// What comes of a request, in words: `answer …`, `refuse …`, `aside …` or `aside` alone.
    private func outcome(
        _ operation: Operation, host: String = "github.com", _ lines: String..., scheme: String = "https"
    ) -> String {
        let door = FrontDoor(
            environment: { _ in nil }, now: 1_000_000, search: { _ in keyring }, shares: shares,
            hasRefusedTokens: { false }, configuration: { [] })
        let text = (["protocol=\(scheme)", "host=\(host)"] + lines).map { $0 + "\n" }.joined()
        switch door.outcome(operation, Array(text.utf8)) {
        case .answer(let answer): return "answer " + answer.reveal { String(decoding: $0, as: UTF8.self) }
        case .refuse(let answer, let line):
            return answer.reveal { $0.elementsEqual("quit=1\n".utf8) } ? "refuse " + line : "no quit"
        case .stepAside(let line?): return "aside " + line
        case .stepAside(nil): return "aside"
        }
    }

    private static let shared = "answer username=monalisa\npassword=ghu_shared\n"

    private func item(_ user: String = "octocat") throws -> FrontDoor.SearchResult {
        let attributes = ItemAttributes(
            protocol: Array("https".utf8), host: HostName(name: "github.com"), user: Array(user.utf8))
        return .items([
            Item(
                path: "/1", attributes: attributes, schemaName: "org.git.Password",
                secret: Secret(Array("own".utf8)))
        ])
    }

    @Test("without a keyring, the other machine's token is the answer")
    func absent() {
        shares.usual = ScriptedShares.credential()
        #expect(outcome(.get) == Self.shared)
        #expect(shares.calls == ["get usual github.com"])
    }

    @Test("a git that knows states gets one, so that it need not be told what to store")
    func state() {
        shares.usual = ScriptedShares.credential()
        let answer = outcome(.get, "capability[]=state")
        let state = answer.split(separator: "\n").last.map(String.init) ?? ""
        #expect(state.hasPrefix("state[]=gitspace:"))
        let store = outcome(
            .store, "capability[]=state", "username=monalisa", "password=ghu_shared", state)
        #expect(store == "answer " && shares.calls.count == 1)
    }

    @Test("a keyring comes first, whatever it says")
    mutating func own() throws {
        shares.usual = ScriptedShares.credential()
        keyring = try item()
        #expect(outcome(.get) == "answer username=octocat\npassword=own\n")
        keyring = .items([])
        #expect(outcome(.get) == "aside")
        keyring = .unclear
        #expect(outcome(.get) == "aside")
        #expect(shares.calls.isEmpty)
    }

    @Test("a named socket comes before the keyring, and gives way to it where it has nothing to say")
    mutating func named() throws {
        keyring = try item()
        shares.named = ScriptedShares.credential()
        #expect(outcome(.get) == Self.shared)
        for failure in [ShareFailure.silent, .unreachable, .noSocket] {
            shares.named = .failure(failure)
            #expect(outcome(.get).hasPrefix("answer username=octocat"))
        }
        keyring = .absent
        shares.usual = ScriptedShares.credential("ghu_usual")
        #expect(outcome(.get).contains("ghu_usual"))
        shares.usual = nil
        shares.named = .failure(.unreachable)
        #expect(outcome(.get).hasPrefix("aside gitspace: error: nobody listens at the shared socket;"))
    }

    @Test(
        "who refuses, hangs or lies has the last word, in one line, and git does not prompt",
        arguments: [ShareFailure.refused, .late, .unexpected, .expired])
    mutating func failed(failure: ShareFailure) throws {
        shares.usual = .failure(failure)
        let outcome = outcome(.get)
        #expect(outcome.hasPrefix("refuse gitspace: error: ") && outcome.hasSuffix("credential-gitspace share list\n"))
        #expect(outcome.split(separator: "\n").count == 1)
        keyring = try item()
        shares.named = .failure(failure)
        #expect(self.outcome(.get).hasPrefix("refuse "))
    }

    @Test("where nothing is shared, the full program goes on; if it is not here, one line says what is missing")
    func nothing() {
        #expect(
            outcome(.get) == """
                aside gitspace: error: no keyring here, and no machine shares its sign-in with this one; \
                on the machine with the keyring, run: git credential-gitspace share

                """)
        shares.usual = .failure(.silent)
        #expect(outcome(.get).hasPrefix("aside gitspace: error: no token for github.com is shared"))
        // A host where nobody may want to sign in: git prompts, and that says enough.
        #expect(outcome(.get, host: "git.example") == "aside ")
    }

    @Test("no host can write to the terminal through the line")
    func hostile() {
        shares.usual = .failure(.refused)
        #expect(!outcome(.get, host: "a\u{1b}[2Jb").contains("\u{1b}"))
        #expect(!outcome(.get, host: "\u{202e}moc.buhtig").contains("\u{202e}"))
    }

    @Test("what comes from another machine is not stored here: it has an end, which nobody types")
    mutating func store() throws {
        shares.usual = ScriptedShares.credential()
        let pair = ["username=monalisa", "password=ghu_shared"]
        #expect(outcome(.store, pair[0], pair[1], "password_expiry_utc=2000000") == "answer ")
        let other = outcome(
            .store, host: "git.example", pair[0], pair[1], "password_expiry_utc=2000000", scheme: "imap")
        #expect(other == "aside ")
        #expect(shares.calls.isEmpty)
        // A git before 2.40 has forgotten the end.
        #expect(outcome(.store, pair[0], pair[1]) == "answer ")
        #expect(outcome(.store, pair[0], "password=typed") == "aside ")
        #expect(shares.calls == ["compare usual", "compare usual"])
        shares.usual = nil
        #expect(outcome(.store, pair[0], pair[1], "password_expiry_utc=2000000") == "aside ")
        keyring = .items([])
        shares.usual = ScriptedShares.credential()
        #expect(outcome(.store, pair[0], pair[1], "password_expiry_utc=2000000") == "aside")
        shares.named = ScriptedShares.credential()
        #expect(outcome(.store, pair[0], pair[1], "password_expiry_utc=2000000") == "answer ")
        #expect(shares.calls.count == 2)
    }

    @Test("that a token was rejected is told where it came from, and the full program goes on")
    mutating func erase() throws {
        let pair = ["username=monalisa", "password=ghu_shared"]
        #expect(outcome(.erase, pair[0], pair[1]) == "aside ")
        #expect(shares.calls == ["reject usual monalisa"])
        keyring = .items([])
        #expect(outcome(.erase, pair[0], pair[1]) == "aside" && shares.calls.count == 1)
        shares.named = ScriptedShares.credential()
        #expect(outcome(.erase, pair[0], pair[1]) == "aside")
        #expect(shares.calls.last == "reject named monalisa")
        // Everything that matches is meant: nothing was rejected.
        #expect(outcome(.erase, pair[0]) == "aside" && shares.calls.count == 2)
    }
}
