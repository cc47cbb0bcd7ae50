import Staging
import Testing

@Suite("Accounts and the keyring, by hand")
struct AccountTests {
    @Test("switch changes git's account, and prints which one git uses")
    func switching() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn(inOrder: "monalisa", "bob")
        func account() async throws -> String {
            try await fixture.git("credential", "fill", input: "url=\(fixture.address())\n\n").output
        }
        #expect(try await account().contains("username=monalisa\n"))
        let piped = try await fixture.gitspace("switch", fixture.host)
        #expect(piped.status == 1 && piped.output.contains("* 1  monalisa  (default)\n  2  bob\n"), "\(piped.output)")
        #expect(piped.errors.contains("hint:   git credential-gitspace switch \(fixture.host) bob\n"))
        let terminal = try PseudoTerminal()
        let running = try fixture.start(
            ["sh", "-c", "\"$0\" switch \"$1\" </dev/tty", BuiltFiles.helper, fixture.host], on: terminal)
        try await terminal.type("2\n", after: "Number or name (Enter keeps monalisa): ")
        #expect(try await running.ended().status == 0)
        #expect(try await account().contains("username=bob\n"))
        let status = try await fixture.gitspace("status").output
        #expect(
            status.contains(
                "    Default (set by credential.https://\(fixture.host).username in \(fixture.session.home)/.git"),
            "\(status)")
        let zoe = try await fixture.gitspace("switch", fixture.host, "zoe")
        #expect(zoe.status == 1 && zoe.errors.contains("switch \(fixture.host) bob\n"), "\(zoe.errors)")
        #expect(try await fixture.gitspace("switch", fixture.host, "--unset").status == 0)
        #expect(try await account().contains("username=monalisa\n"))
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
        let status = try await fixture.gitspace("status", fixture.host, "--offline", environment: ["TZ": zone])
        let ends = status.output.split(separator: "\n").filter { $0.contains("valid until 2031-") }
        #expect(ends.map { String($0.suffix(11)) } == times, "\(status.output)\(status.errors)")
    }
}
