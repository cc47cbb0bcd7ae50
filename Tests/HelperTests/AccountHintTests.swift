import TestSupport
import Testing

@testable import Helper

@Suite("Account hints in a server's challenge")
struct AccountHintTests {
    private static func suffixes(_ challenges: String...) -> [String] {
        AccountHint(challenges.map { Array($0.utf8) }).loginSuffixes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("reads both hints, before and after the realm, in any letter case")
    func hints() {
        #expect(Self.suffixes("Basic realm=\"GitHub\" domain_hint=\"acme\"") == ["_acme"])
        let both = Self.suffixes("Basic enterprise_hint=\"acme-corp\", domain_hint=\"ACME\", realm=\"GitHub\"")
        #expect(both == ["_acme-corp", "_ACME"])
        #expect(Self.suffixes("basic Domain_Hint = acme") == ["_acme"])
        #expect(Self.suffixes("Negotiate", "Basic realm=\"GitHub\", domain_hint=acme") == ["_acme"])
        #expect(Self.suffixes("Basic realm=\"GitHub\"").isEmpty && Self.suffixes().isEmpty)
    }

    @Test(
        "ignores text that is not a well-formed hint",
        arguments: [
            "Basic realm=\"domain_hint=acme\"", "Basic realm=\"a\\\", domain_hint=\\\"acme\"", "Basic domain_hint",
            "Basic domain_hint=", "Basic domain_hint=\"\"", "Basic domain_hint=\"acme", "Basic xdomain_hint=acme",
            "Basic domain_hint=\"a\u{1b}[2J\"", "Basic domain_hint=\"a b\"", "Basic domain_hint=\"../evil\"",
            "Basic domain_hint=\"" + String(repeating: "a", count: 65) + "\"", "=,\"\"==,;\\",
            "Basic domain_hint=acme" + String(repeating: " ", count: 2_048),
        ])
    func noHint(challenge: String) { #expect(Self.suffixes(challenge).isEmpty) }

    @Test("reads a challenge with many hints quickly, and counts four of them")
    func many() {
        let challenge = "Basic " + (0..<100).map { "domain_hint=a\($0)" }.joined(separator: ",")
        #expect(Self.suffixes(challenge) == ["_a0", "_a1", "_a2", "_a3"])
        #expect(
            AccountHint((0..<64).map { _ in Array(repeating: UInt8(ascii: "\""), count: 2_048) }).loginSuffixes == [])
    }
}

@Suite("get: the account that the server's hint selects")
struct HintedAccountTests: HelperSuite {
    let helper = HelperFixture()
    private static let hint = "\nwwwauth[]=Basic realm=\"GitHub\" domain_hint=\"ACME\" enterprise_hint=\"acme-corp\""

    private func account(_ more: String = hint) throws -> String? {
        let answer = try helper.run(.get, "protocol=https\nhost=github.com" + more)
        return answer.split(separator: "\n").first { $0.hasPrefix("username=") }.map { String($0.dropFirst(9)) }
    }

    @Test("prefers the enterprise's account in any letter case, only with a hint, and not to the request's account")
    func ranking() throws {
        helper.signedIn("alice", "mona_acme", "zoe_acme")
        #expect(try account("") == "alice")
        #expect(try account("\nwwwauth[]=Basic realm=\"GitHub\"") == "alice")
        #expect(try account() == "mona_acme")
        #expect(try account(Self.hint + "\nusername=alice") == "alice")
    }

    @Test("ignores a name that only resembles the enterprise's")
    func alike() throws {
        helper.signedIn("pj_nitin", "up_the_irons", "acme", "_acme", "monaacme")
        #expect(try account() == "_acme" || account() == account(""))
        #expect(try account("\nwwwauth[]=Basic domain_hint=\"the_irons\"") == account(""))
    }

    @Test("returns another account without a sign-in or a request if none matches the hint")
    func ranksOnly() throws {
        helper.signedIn("alice")
        #expect(try account() == "alice")
        // Make the enterprise's stored credential useless.
        helper.stored(expiresIn: -10, refreshToken: nil, user: "mona_acme")
        #expect(try account() == "alice" && prompts.isEmpty && requests.isEmpty && doubles.errors.isEmpty)
    }

    @Test("refreshes the expired token of the enterprise's account, and keeps the other account")
    func refreshed() throws {
        helper.signedIn("alice")
        helper.stored(expiresIn: -10, user: "mona_acme")
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try account() == "mona_acme")
        #expect(password(of: "alice") == "ghu_old")
        #expect(password(of: "mona_acme") != "ghu_old")
    }
}
