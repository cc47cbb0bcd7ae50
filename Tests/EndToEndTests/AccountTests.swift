import Foundation
import Staging
import StandIn
import Testing

/// Commands that people type for several accounts, an account in memory, or a locked keyring.
@Suite("Accounts and the keyring, by hand")
struct AccountTests {
    /// Connects standard input to the terminal too.
    private static let typing = ["sh", "-c", "\"$0\" \"$@\" </dev/tty"]

    @Test("switch changes git's account, and prints which one git uses")
    func switching() async throws {
        let fixture = try await EndToEndFixture()
        for (name, since) in [("monalisa", 1), ("bob", 2)] {
            try await fixture.remember(fixture.github.issueToken(for: name, app: fixture.app), since: since)
        }
        func account() async throws -> String {
            try await fixture.git("credential", "fill", input: "url=\(fixture.address())\n\n").output
        }
        #expect(try await account().contains("username=monalisa\n"))
        let piped = try await fixture.start([BuiltFiles.helper, "switch", fixture.host]).ended()
        #expect(piped.status == 1 && piped.output.contains("* 1  monalisa  (default)\n  2  bob\n"), "\(piped.output)")
        #expect(piped.errors.contains("hint:   git credential-gitspace switch \(fixture.host) bob\n"))
        let terminal = try PseudoTerminal()
        let running = try fixture.start(
            Self.typing + [BuiltFiles.helper, "switch", fixture.host], terminal: .standardError(terminal))
        try await terminal.shows("Number or name (Enter keeps monalisa): ")
        terminal.type("2\n")
        #expect(try await running.ended().status == 0)
        #expect(try await account().contains("username=bob\n"))
        let status = try await fixture.start([BuiltFiles.helper, "status"]).ended().output
        #expect(
            status.contains(
                "    Default (set by credential.https://\(fixture.host).username in \(fixture.session.home)/.git"),
            "\(status)")
        let zoe = try await fixture.start([BuiltFiles.helper, "switch", fixture.host, "zoe"]).ended()
        #expect(zoe.status == 1 && zoe.errors.contains("switch \(fixture.host) bob\n"), "\(zoe.errors)")
        #expect(try await fixture.start([BuiltFiles.helper, "switch", fixture.host, "--unset"]).ended().status == 0)
        #expect(try await account().contains("username=monalisa\n"))
    }

    @Test("logout asks for the account only at a terminal")
    func loggingOut() async throws {
        let fixture = try await EndToEndFixture()
        for (name, since) in [("monalisa", 1), ("bob", 2)] {
            try await fixture.remember(fixture.github.issueToken(for: name, app: fixture.app), since: since)
        }
        let logout = [BuiltFiles.helper, "logout", fixture.host]
        let piped = try await fixture.start(logout).ended()
        #expect(piped.status == 1 && piped.errors.contains("several accounts are stored"), "\(piped.errors)")
        #expect(piped.errors.contains("hint:   git credential-gitspace logout \(fixture.host) bob\n"))
        let terminal = try PseudoTerminal()
        let running = try fixture.start(Self.typing + logout, terminal: .standardError(terminal))
        try await terminal.shows("Number or name: ")
        terminal.type("2\n")
        let end = try await running.ended()
        #expect(end.status == 0 && end.output.contains(": removed bob from the keyring.\n"), "\(end.output)")
        #expect(try await fixture.session.items().map { $0.attributes["user"] } == ["monalisa"])
    }

    @Test("logout --revoke asks at a terminal about a token that gh has too, and fails without one")
    func sharedToken() async throws {
        let fixture = try await EndToEndFixture()
        let issued = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(issued, since: 1)
        let gh = try await fixture.session.run(
            ["secret-tool", "store", "--label=gh", "service", "gh:\(fixture.host)", "username", "monalisa"],
            input: issued.accessToken)
        #expect(gh.status == 0, "\(gh.errors)")
        let logout = [BuiltFiles.helper, "logout", fixture.host, "--revoke"]
        let piped = try await fixture.start(logout).ended()
        #expect(piped.status == 1, "\(piped.output)")
        #expect(piped.errors.hasSuffix("  git credential-gitspace logout \(fixture.host) monalisa --revoke --force\n"))
        let terminal = try PseudoTerminal(columns: 200)
        let running = try fixture.start(Self.typing + logout, terminal: .standardError(terminal))
        try await terminal.shows("gh has the same token of monalisa, and could not use it any more. Revoke it? [y/N] ")
        terminal.type("\n")
        let end = try await running.ended()
        #expect(end.status == 130 && end.output == "Nothing was changed.\n", "\(end.output)")
        #expect(try await fixture.session.items().count == 2)
    }

    @Test(
        "status shows a token's expiry in local time, in winter, in summer and in the night of the change",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", ["01-15 13:00", "03-30 01:59", "03-30 03:00", "07-15 14:00"]),
            ("NST3:30NDT,M3.2.0,M11.1.0", ["01-15 08:30", "03-29 22:29", "03-29 22:30", "07-15 09:30"]),
            ("", ["01-15 12:00", "03-30 00:59", "03-30 01:00", "07-15 12:00"]),
        ] as [(String, [String])])
    func localTime(zone: String, times: [String]) async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        // 2031: noon in January and July, and the minutes before and after Europe changes its clocks.
        for (name, end) in [("a", 1_926_244_800), ("b", 1_932_598_740), ("c", 1_932_598_800), ("d", 1_941_883_200)] {
            let stored = try await fixture.helper(
                "store", "username=\(name)", "password=x", "password_expiry_utc=\(end)")
            #expect(stored.errors.isEmpty, "\(stored.errors)")
        }
        let status = try await fixture.start(
            [BuiltFiles.helper, "status", fixture.host, "--offline"], environment: ["TZ": zone]
        ).ended()
        let ends = status.output.split(separator: "\n").filter { $0.contains("valid until 2031-") }
        #expect(ends.map { String($0.suffix(11)) } == times, "\(status.output)\(status.errors)")
    }

    @Test("unlock opens the keyring by a password from a terminal without echo, or from a pipe")
    func unlock() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let password = try #require(fixture.session.environment["KEYRING_PASSWORD"])
        try await fixture.session.control("lock")
        let terminal = try PseudoTerminal()
        let refused = try await fixture.start([BuiltFiles.helper, "status"]).ended()
        #expect(refused.errors.hasSuffix("hint:   git credential-gitspace unlock\n"), "\(refused.errors)")
        let running = try fixture.start(
            ["sh", "-c", "\"$0\" unlock </dev/tty", BuiltFiles.helper], terminal: .onlyControlling(terminal))
        try await terminal.shows("usually your login password (not shown): ")
        terminal.type(password + "\n")
        let end = try await running.ended()
        #expect(end.status == 0 && end.output == "The keyring \"Login\" is unlocked.\n", "\(end.output)\(end.errors)")
        #expect(!terminal.text.contains(password))
        #expect(try await fixture.start([BuiltFiles.helper, "unlock"]).ended().output.contains("already unlocked"))
        try await fixture.session.control("lock")
        let wrong = try await fixture.start([BuiltFiles.helper, "unlock"], input: password + "x\n").ended()
        #expect(wrong.status == 1 && wrong.errors.contains("wrong password for the keyring"), "\(wrong.errors)")
        #expect(try await fixture.start([BuiltFiles.helper, "unlock"], input: password + "\n").ended().status == 0)
    }

    @Test("login and check use the repository they are run in without an address")
    func here() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let folder = fixture.session.home + "/work"
        _ = try await fixture.git("init", "--quiet", folder)
        let nowhere = try await fixture.start([BuiltFiles.helper, "check"], in: folder).ended()
        #expect(nowhere.status == 1 && nowhere.errors.contains("no repository given"), "\(nowhere.errors)")
        _ = try await fixture.git("remote", "add", "origin", fixture.address(), in: folder)
        let check = try await fixture.start([BuiltFiles.helper, "check"], in: folder).ended()
        #expect(check.status == 0 && check.output.hasPrefix("acme/private on \(fixture.host), as monalisa\n"))
        let login = try await fixture.start([BuiltFiles.helper, "login"], in: folder).ended()
        #expect(
            login.status == 0 && login.output.hasPrefix("Already signed in to \(fixture.host) as monalisa.\n"),
            "\(login.output)\(login.errors)")
    }
}
