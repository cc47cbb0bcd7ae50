import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("The verb import")
struct ImportTests {
    private let helper = HelperFixture()
    private let keyring = InMemoryForeignKeyring()
    private let files = InMemoryForeignFiles()
    private var doubles: Doubles { helper.doubles }

    init() {
        doubles.environment["HOME"] = "/home/x"
        doubles.transport.otherwise = GitHubAnswers.user("mona")
    }

    @Test("the host is asked about each token: a dead one is named and left, one that nobody could ask about is taken")
    func verified() throws {
        keyring.put("gho_dead", ("service", "gh:github.com"), ("username", "mona"))
        doubles.transport.answer(GitHubAnswers.badCredentials)
        let dead = try run(.gh)
        #expect(dead.accounts.map(\.outcome) == [.rejected] && dead.oldCopies.isEmpty && password(of: "mona") == nil)
        #expect(
            dead.lines.map(\.english)
                == ["github.com  mona  gho_****  (gh): not imported, because the host rejected this token"])
        doubles.transport.fail(.unreachable)
        let lines = try run(.gh).lines.map(\.english)
        #expect(lines.first == "github.com  mona  gho_****  (gh): imported, but could not be verified with the host")
        #expect(password(of: "mona") == "gho_dead")
        #expect(
            lines.suffix(2) == [
                "The other tools keep their own copies. If you no longer use one of them, sign it out:",
                "  gh auth logout --hostname github.com --user mona",
            ])
    }

    @Test("one that is another account's is left, and its owner named")
    func ofAnother() throws {
        keyring.put("gho_x", ("service", "gh:github.com"), ("username", "octocat"))
        let report = try run(.gh)
        #expect(report.accounts.map(\.outcome) == [.otherAccount(owner: "mona")] && password(of: "octocat") == nil)
        #expect(
            report.lines.map(\.english)
                == ["github.com  octocat  gho_****  (gh): not imported, because this token belongs to mona"])
    }

    private func verb(_ sources: ImportSource..., isDryRun: Bool = false) -> Import {
        Import(from: sources, isDryRun: isDryRun, keyring: keyring, files: files, with: .forTests(doubles))
    }

    private func run(_ source: ImportSource? = nil, isDryRun: Bool = false) throws -> Import.Report {
        let made =
            source.map { self.verb($0, isDryRun: isDryRun) } ?? verb(.gh, .gcm, .store, isDryRun: isDryRun)
        return try #require(doubles.run(made).reports.first)
    }

    private func password(of user: String) -> String? { doubles.keyring.credential(of: user)?.password.text }

    @Test("gh's token is taken under its account's name, once, as a sign-in that nobody's client can renew")
    func gh() throws {
        keyring.put("gho_one", ("service", "gh:github.com"), ("username", "mona"))
        keyring.put("gho_one", ("service", "gh:github.com"), ("username", ""))
        let report = try run()
        #expect(report.accounts.map(\.outcome) == [.imported])
        #expect(report.accounts.first?.masked == "gho_****")
        #expect(report.oldCopies == [.keyring(.gh, removal: .ghLogout(user: "mona", host: "github.com"))])
        #expect(doubles.keyring.onlyText == "gho_one\ngitspace_since=\(RecordingClock.start)")
        #expect(doubles.keyring.credential(of: "mona")?.grant?.clientID == nil)
        #expect(try run().accounts.map(\.outcome) == [.alreadyThere])
        #expect(keyring.items.count == 2)
    }

    @Test("gh's file names hosts, accounts and, where there is no keyring, tokens")
    func ghFile() throws {
        doubles.transport.otherwise = .page(status: 502)
        files.texts["/home/x/.config/gh/hosts.yml"] = """
            # written by gh
            github.com:
                git_protocol: https
                users:
                    mona:
                        oauth_token: "gho_mona"
                    lisa:
                user: mona
                oauth_token: gho_mona
            ghe.example:
                user: octo
            """
        keyring.put("gho_active", ("service", "gh:ghe.example"), ("username", ""))
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        let report = try run(.gh)
        #expect(report.accounts.map(\.place) == ["github.com", "ghe.example"])
        #expect(password(of: "mona") == "gho_mona" && password(of: "octo") == "gho_active")
        #expect(
            report.oldCopies.first
                == .file("/home/x/.config/gh/hosts.yml", removal: .ghLogout(user: "mona", host: "github.com")))
    }

    @Test("Git Credential Manager's items are told by its schema, whatever their namespace")
    func gcm() throws {
        let schema = ("xdg:schema", "com.microsoft.GitCredentialManager")
        keyring.put("gho_x", schema, ("service", "git:https://gist.github.com"), ("account", "mona"))
        keyring.put("pw", schema, ("service", "my ns:https://dev.example:8443/org/x"), ("account", "carol"))
        keyring.put("r", schema, ("service", "git:https://oauth-refresh-token.gl.example"), ("account", "d"))
        keyring.put("p", schema, ("service", "git:http://plain.example"), ("account", "e"))
        let report = try run(.gcm)
        #expect(report.accounts.map(\.outcome) == [.imported, .imported])
        #expect(report.leftOut == [.refreshToken(host: "gl.example")])
        let items = doubles.keyring.items.map(\.attributes)
        #expect(items.map(\.server) == [Array("github.com".utf8), Array("dev.example".utf8)])
        #expect(items.map(\.object) == [nil, Array("org/x".utf8)])
        #expect(items.last?.port == Array("8443".utf8))
        #expect(
            report.oldCopies.last
                == .keyring(
                    .gcm, removal: .secretTool(service: "my ns:https://dev.example:8443/org/x", account: "carol")))
        #expect(
            report.lines.last?.english
                == "  secret-tool clear service 'my ns:https://dev.example:8443/org/x' account carol")
    }

    @Test("git-credential-store's lines are decoded as git does, and the file may go if all of it has been taken")
    func store() throws {
        let path = "/home/x/.git-credentials"
        files.texts[path] = "https://mona:p%40%3ass%2f@ghe.example%3a8443\n\nhttp://bob:@h.example/a%20b.git/\n"
        let report = try run(.store)
        #expect(report.accounts.map(\.place) == ["ghe.example:8443", "http://h.example/a b.git"])
        #expect(report.accounts.map(\.outcome) == [.imported, .imported])
        #expect(password(of: "mona") == "p@:ss/" && password(of: "bob") == "")
        #expect(report.oldCopies == [.file(path, removal: .wholeFile)])
    }

    @Test(
        "a bad line is left out, the others are taken, and the file has to stay",
        arguments: [
            "nonsense", "https://host.example", "https://user@host.example", "://u:p@h", "https://u:%zz@h",
            "https://u:%0a@h.example", "https://u:p@", "https:/u:p@h", "https://u:p%2@h",
        ])
    func badLines(line: String) throws {
        files.texts["/x/git/credentials"] = line + "\nhttps://mona:good@h.example\n"
        doubles.environment["XDG_CONFIG_HOME"] = "/x"
        let report = try run(.store)
        #expect(report.leftOut == [.badLines("/x/git/credentials", count: 1)])
        #expect(password(of: "mona") == "good")
        #expect(report.oldCopies == [.file("/x/git/credentials", removal: nil)])
    }

    @Test(
        "what git could never ask for is not stored",
        arguments: ["https://u%0ahost=evil:p@h.example", "https://u:p@h.example%0aevil", "http://u:p@github.com"])
    func unstorable(line: String) throws {
        files.texts["/home/x/.git-credentials"] = line
        #expect(try run().accounts.map(\.outcome) == [.unstorable])
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("nothing of theirs reaches a terminal raw")
    func escaped() throws {
        keyring.put("x", ("service", "gh:github.com"), ("username", "a\u{1b}[2J\u{202e}'b"))
        let report = try run()
        #expect(report.accounts.first?.username == "a\\x1b[2J\\xe2\\x80\\xae'b")
        #expect(report.accounts.first?.masked == "****")
    }

    @Test("a sign-in of ours is kept, whatever is found")
    func ours() throws {
        helper.stored(expiresIn: 3_600, user: "mona")
        keyring.put("gho_newer", modified: .max, ("service", "gh:github.com"), ("username", "mona"))
        let report = try run()
        #expect(report.accounts.map(\.outcome) == [.kept] && report.oldCopies.isEmpty)
        #expect(password(of: "mona") == "ghu_old")
    }

    @Test("what has ended gives way, and what came from outside does for something newer")
    func givesWay() throws {
        doubles.transport.otherwise = .page(status: 502)
        helper.stored(expiresIn: -10, refreshToken: nil, user: "ended")
        helper.brought("older", user: "mona")
        for user in ["ended", "mona"] {
            keyring.put("gho_\(user)", modified: .max, ("service", "gh:github.com"), ("username", user))
        }
        #expect(try run().accounts.map(\.outcome) == [.imported, .imported])
        #expect(password(of: "ended") == "gho_ended" && password(of: "mona") == "gho_mona")
    }

    @Test("of two tools with different tokens for an account the first one counts, in a dry run as well")
    func twoTools() throws {
        keyring.put("gho_gh", ("service", "gh:github.com"), ("username", "mona"))
        files.texts["/home/x/.git-credentials"] = "https://mona:ghp_store@github.com"
        #expect(try run(isDryRun: true).accounts.map(\.outcome) == [.imported, .kept])
        #expect(doubles.keyring.items.isEmpty)
        #expect(try run().accounts.map(\.outcome) == [.imported, .kept])
        #expect(password(of: "mona") == "gho_gh")
    }

    @Test("a save that fails is an outcome; the others go on")
    func saveFails() throws {
        files.texts["/home/x/.git-credentials"] = "https://a:p@h.example\nhttps://b:p@h.example\n"
        doubles.keyring.saveFault = .denied
        let report = try run()
        #expect(report.accounts.map(\.outcome) == [.failed, .failed])
        #expect(report.oldCopies == [.file("/home/x/.git-credentials", removal: nil)])
    }

    @Test("a keyring that is locked or absent is told before anything is touched")
    func noKeyring() {
        keyring.fault = .locked
        #expect(doubles.run(verb(.gh)).status == .failed)
        doubles.keyring.fault = .noBus
        #expect(doubles.run(verb(.store)).status == .failed)
        #expect(doubles.errors == [.keyring(.locked), .keyring(.noBus)])
    }

    @Test("files that cannot be read are named")
    func unreadable() throws {
        files.texts["/home/x/.git-credentials"] = String?.none
        #expect(try run().leftOut == [.unreadableFile("/home/x/.git-credentials")])
    }

    @Test("a grant that is saved while the host is asked stays: what is stored is read again under the account's lock")
    func savedMeanwhile() throws {
        keyring.put("gho_x", ("service", "gh:github.com"), ("username", "mona"))
        doubles.transport.beforeAnswer = { [helper] _ in helper.stored(expiresIn: 3_600, user: "mona") }
        #expect(try run(.gh).accounts.map(\.outcome) == [.kept])
        #expect(password(of: "mona") == "ghu_old")
    }

    @Test("nor does it go if it is saved by the one who had the lock before us")
    func savedUnderLock() throws {
        keyring.put("gho_x", ("service", "gh:github.com"), ("username", "mona"))
        doubles.locks.whenAcquired = { [helper] in helper.stored(expiresIn: 3_600, user: "mona") }
        #expect(try run(.gh).accounts.map(\.outcome) == [.kept])
        #expect(password(of: "mona") == "ghu_old" && doubles.locks.held == 0)
    }

    @Test(
        "without the account's lock nothing is stored for it, and it is said why",
        arguments: [
            (LockError.timedOut, "because another sign-in or refresh has not finished"),
            (.impossible, "because there is no safe folder for lock files"),
        ])
    func noLock(fault: LockError, reason: String) throws {
        keyring.put("gho_x", ("service", "gh:github.com"), ("username", "mona"))
        doubles.locks.fault = fault
        let (status, reports) = doubles.run(verb(.gh))
        #expect(status == .failed && doubles.keyring.items.isEmpty)
        #expect(reports.first?.lines.map(\.english) == ["github.com  mona  gho_****  (gh): not imported, \(reason)"])
    }

    @Test("a dead token is named also if it is stored already; the host is asked once about each")
    func deadAndStored() throws {
        helper.brought("gho_dead", user: "mona")
        keyring.put("gho_dead", ("service", "gh:github.com"), ("username", "mona"))
        files.texts["/home/x/.git-credentials"] = "https://mona:gho_dead@github.com"
        doubles.transport.answer(GitHubAnswers.badCredentials)
        let lines = try run().lines.map(\.english)
        #expect(
            lines.prefix(2) == [
                "github.com  mona  gho_****  (gh): already stored, but the host rejected this token",
                "github.com  mona  gho_****  (store): already stored, but the host rejected this token",
            ])
        #expect(doubles.transport.requests.count == 1)
    }

    @Test("without a keyring, what files hold is kept in memory, and nobody is told to remove the copy that lasts")
    func memory() throws {
        let doubles = Doubles(storage: .memory)
        doubles.environment["HOME"] = "/home/x"
        doubles.transport.otherwise = GitHubAnswers.user("mona")
        keyring.fault = .noProvider
        files.texts["/home/x/.config/gh/hosts.yml"] = "github.com:\n    oauth_token: gho_mona\n    user: mona\n"
        let verb = Import(
            from: [.gh, .gcm, .store], isDryRun: false, keyring: keyring, files: files, with: .forTests(doubles))
        let (status, reports) = doubles.run(verb)
        #expect(status == .done && doubles.errors.isEmpty, "\(doubles.errors)")
        #expect(doubles.keyring.credential(of: "mona")?.password.text == "gho_mona")
        #expect(
            reports.first?.lines.map(\.english) == [
                "github.com  mona  gho_****  (gh): imported",
                "No keyring here: git credential-cache keeps the token in memory.",
                "The original copies were not removed.",
            ])
    }
}
