import Foundation
import Staging
import StandIn
import Testing

/// What other tools leave in a real keyring, and in files.
@Suite("Taking over from other tools")
struct ImportTests {
    /// Puts an item into the keyring as another program would.
    private func put(_ secret: String, _ label: String, _ attributes: [String], in session: Session) async throws {
        let end = try await session.run(["secret-tool", "store", "--label=\(label)"] + attributes, input: secret)
        guard end.status == 0 else { throw NeverHappened(description: "secret-tool: \(end.errors)") }
    }

    @Test("items of gh and Git Credential Manager and a file are copied, git gets them, and all of them stay")
    func everything() async throws {
        let fixture = try await EndToEndFixture(host: "github.com")
        let session = fixture.session
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        // The shapes of zalando/go-keyring and of Git Credential Manager.
        for user in ["monalisa", ""] {
            try await put(
                token, "Password for '\(user)' on 'gh:github.com'", ["service", "gh:github.com", "username", user],
                in: session)
        }
        let schema = ["xdg:schema", "com.microsoft.GitCredentialManager"]
        try await put(
            "pw", "git:https://dev.example/org",
            schema + ["service", "git:https://dev.example/org", "account", "carol"], in: session)
        let file = session.home + "/.git-credentials"
        let text = "nonsense\nhttps://erin:p%40ss@git.example%3a8443\n"
        try Data(text.utf8).write(to: URL(filePath: file))
        let before = try await session.items()

        let dry = try await session.run([BuiltFiles.helper, "import", "--dry-run"])
        #expect(dry.status == 0 && dry.output.contains("github.com  monalisa  gho_****  (gh): would be imported\n"))
        #expect(try await session.items() == before)

        for what in ["imported", "already stored"] {
            let end = try await session.run([BuiltFiles.helper, "import"])
            #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
            for line in [
                "github.com  monalisa  gho_****  (gh): \(what)\n", "dev.example/org  carol  ****  (gcm): \(what)\n",
                "git.example:8443  erin  ****  (store): \(what)\n",
                "  gh auth logout --hostname github.com --user monalisa\n", "\(file) contains passwords in plain text",
            ] { #expect(end.output.contains(line), "\(end.output)") }
            for secret in [token, "pw", "p@ss"] { #expect(!end.output.contains(secret)) }
        }
        let after = try await session.items()
        #expect(after.count == before.count + 3)
        #expect(before.allSatisfy { old in after.contains { $0.label == old.label && $0.secret == old.secret } })
        #expect(FileManager.default.contents(atPath: file) == Data(text.utf8))
        let got = try await session.run([BuiltFiles.helper, "get"], input: "protocol=https\nhost=git.example:8443\n")
        #expect(got.output == "username=erin\npassword=p@ss\n")
    }

    @Test("a locked keyring is told, and is no empty one")
    func locked() async throws {
        let session = try await Session()
        try await put("gho_gh", "x", ["service", "gh:github.com", "username", "monalisa"], in: session)
        try await session.control("lock")
        for arguments in [["import"], ["import", "--dry-run"]] {
            let end = try await session.run([BuiltFiles.helper] + arguments)
            #expect(end.status == 1 && end.output.isEmpty, "\(end.output)")
            #expect(end.errors.hasPrefix("gitspace: error: the keyring is locked"), "\(end.errors)")
        }
    }
}
