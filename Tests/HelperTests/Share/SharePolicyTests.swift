import TestSupport
import Testing

@testable import Share

@Suite("share: requests of a target")
struct SharePolicyTests {
    private static let hour: Int64 = 3_600
    private static let answer = "username=octocat\npassword=ghu_old\npassword_expiry_utc=1700003600\n"
    private static let quit = "quit=1\n"

    /// Whether a target gets nothing and the keyring is not asked, although the person is signed in.
    private func isIgnored(_ action: String = "get", _ lines: String = "protocol=https\nhost=github.com") -> Bool {
        let fixture = ShareFixture(expiresIn: Self.hour)
        fixture.helper.stored(expiresIn: Self.hour, host: "gitlab.com")
        return fixture.ask(action, lines).isEmpty && fixture.doubles.keyring.calls.isEmpty
    }

    @Test("returns only the username, the password and its expiry, whatever the target announces or is stored")
    func answer() {
        let fixture = ShareFixture(expiresIn: Self.hour)
        #expect(fixture.ask() == Self.answer)
        let announced = "capability[]=state\ncapability[]=authtype\nprotocol=https\nhost=github.com\nwwwauth[]=Basic"
        #expect(fixture.ask("get", announced) == Self.answer)
        // The person's host is compared as git sends it.
        #expect(ShareFixture("GitHub.com:443", expiresIn: Self.hour).ask() == Self.answer)
        let brought = ShareFixture()
        brought.helper.brought("ghu_brought", expiresIn: Self.hour, refreshToken: "ghr_brought")
        #expect(brought.ask() == "username=octocat\npassword=ghu_brought\npassword_expiry_utc=1700003600\n")
    }

    @Test("ignores a store, any action but get and erase, and a scheme or host that is not exactly the target's")
    func ignored() {
        for action in ["exit", "GET", "list", "capability", "get ", "", "fill"] {
            #expect(isIgnored(action), "\(action)")
        }
        for scheme in ["http", "HTTPS", "Https", "ssh", "cert", "smtp", "https ", ""] {
            #expect(isIgnored("get", "protocol=\(scheme)\nhost=github.com"), "\(scheme)")
        }
        for host in [
            "gitlab.com", "GitHub.com", "github.com:443", "github.com.", "gist.github.com", "github.com.evil.example",
            "evil-github.com", "github%2ecom", "github.com@evil.example", "gıthub.com", "",
        ] { #expect(isIgnored("get", "protocol=https\nhost=\(host)"), "\(host)") }
        for password in ["ghu_planted", "ghu_old"] {
            #expect(isIgnored("store", "protocol=https\nhost=github.com\nusername=octocat\npassword=\(password)"))
        }
    }

    @Test(
        "compares names in any letter case on hosts with sign-ins, and exactly elsewhere",
        arguments: [nil, "octocat", "OctoCat"])
    func nameCase(only: String?) {
        for (host, isSame) in [("github.com", true), ("ghe.example", true), ("plain.example", false)] {
            let fixture = ShareFixture(host, as: only)
            fixture.doubles.configure("credential", "https://ghe.example", "provider", "github")
            fixture.helper.brought("p", expiresIn: Self.hour, host: host, user: "OctoCat")
            for asked in ["", "\nusername=octocat", "\nusername=OctoCat"] {
                let answer = fixture.ask("get", "protocol=https\nhost=\(host)\(asked)")
                let isExact = only != "octocat" && asked != "\nusername=octocat"
                #expect(answer.contains("username=OctoCat\n") == (isSame || isExact), "\(host) \(asked): \(answer)")
            }
            #expect(fixture.ask("get", "protocol=https\nhost=\(host)\nusername=octo_at") == Self.quit)
        }
    }

    @Test("refuses another account with quit=1, even if it is stored, or comes before the target's own")
    func otherAccount() {
        for target in [ShareFixture(), ShareFixture(as: "octocat")] {
            target.helper.stored(expiresIn: Self.hour)
            target.helper.stored(expiresIn: Self.hour, user: "second")
            #expect(target.ask("get", "protocol=https\nhost=github.com\nusername=second") == Self.quit)
            #expect(target.ask("get", "protocol=https\nhost=github.com\nusername=octocat") == Self.answer)
            #expect(target.refusals == [.otherAccount])
        }
        let fixture = ShareFixture(as: "second", expiresIn: Self.hour)
        fixture.helper.stored(expiresIn: Self.hour, user: "second")
        #expect(fixture.ask().hasPrefix("username=second\n"))
        let without = ShareFixture(as: "third", expiresIn: Self.hour)
        #expect(without.ask() == Self.quit && without.refusals == [.notSignedIn])
    }

    @Test("returns no other account's token to a target with its own account, wherever it is found")
    func foundForAnother() throws {
        func refusal(_ name: String, on host: String) throws -> ShareRefusal? {
            let fixture = ShareFixture(host, as: "mona")
            let found = StoredCredential(
                username: Array(name.utf8), password: Secret("x"), passwordExpiryUTC: RecordingClock.start + 3_600)
            return try fixture.credentials.lookup(for: fixture.plan.hosts[0]).refusal(of: found, askedAs: nil)
        }
        #expect(try refusal("mona", on: "other.example") == nil && refusal("Mona", on: "github.com") == nil)
        #expect(try refusal("Mona", on: "other.example") == .otherAccount)
        #expect(try refusal("octocat", on: "github.com") == .otherAccount)
    }

    @Test("does not return a password that a person typed for another host or for a path")
    func typed() {
        let fixture = ShareFixture("github.com", "ghe.example", isLongLived: true)
        fixture.helper.brought("typed", host: "other.example")
        fixture.helper.brought("typed for a part", host: "ghe.example", path: "acme/private")
        for host in ["github.com", "ghe.example"] {
            #expect(fixture.ask("get", "protocol=https\nhost=\(host)") == Self.quit)
            #expect(fixture.ask("get", "protocol=https\nhost=\(host)\npath=acme/private") == Self.quit)
        }
        #expect(fixture.ask("get", "protocol=https\nhost=other.example").isEmpty)
        let named = ShareFixture("other.example", isLongLived: true)
        named.helper.brought("typed", host: "other.example")
        #expect(named.ask("get", "protocol=https\nhost=other.example") == "username=octocat\npassword=typed\n")
    }

    @Test("refuses a token that does not expire, unless the target may have such tokens")
    func endless() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: nil, refreshToken: nil)
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.doesNotExpire])
        let trusted = ShareFixture(isLongLived: true)
        trusted.helper.stored(expiresIn: nil, refreshToken: nil)
        #expect(trusted.ask() == "username=octocat\npassword=ghu_old\n")
    }

    @Test("refuses a credential in another scheme, which has no password")
    func bearer() {
        let fixture = ShareFixture()
        var credential = StoredCredential(
            username: Array("octocat".utf8), password: Secret("ghu_old"),
            passwordExpiryUTC: RecordingClock.start + Self.hour, grant: .init(clientID: "Iv1.0123456789abcdef"))
        credential.authtype = Array("Bearer".utf8)
        fixture.doubles.keyring.put(credential, for: "github.com")
        #expect(fixture.ask() == Self.quit)
    }

    @Test("asks nobody and gives no token once the time of the share is over, even if its refresh began before")
    func elapsed() {
        let end = RecordingClock().uptimeMilliseconds + 60_000
        let fixture = ShareFixture(confirmation: .each, until: end, expiresIn: Self.hour)
        #expect(fixture.ask() == Self.answer)
        fixture.doubles.clock.advance(milliseconds: 60_000)
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.elapsed] && fixture.screen.questions.count == 1)
        let slow = ShareFixture(until: end, expiresIn: 100)
        slow.respond(GitHubAnswers.gitHubAppToken)
        slow.doubles.locks.whenAcquired = { [slow] in slow.doubles.clock.advance(milliseconds: 60_000) }
        #expect(slow.ask() == Self.quit && slow.refusals == [.elapsed])
    }

    @Test("does not unlock a keyring for a target, and does not return its error")
    func keyring() {
        let fixture = ShareFixture(expiresIn: Self.hour)
        fixture.doubles.keyring.isLocked = true
        fixture.doubles.keyring.unlocking = .locked
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.keyring(.locked)])
    }

    @Test("accepts requests of our own user and root only")
    func users() {
        let fixture = ShareFixture()
        #expect(fixture.admits(user: 1_000, own: 1_000) && fixture.admits(user: 0, own: 1_000))
        #expect(!fixture.admits(user: 1_001, own: 1_000) && !fixture.admits(user: 1_000, own: 0))
        // The kernel shows this number for every user that our namespace does not map.
        #expect(!fixture.admits(user: 65_534, own: 1_000) && !fixture.admits(user: 65_534, own: 65_534))
    }

    @Test(
        "returns nothing to a request that does not follow the protocol",
        arguments: [
            "", "\n", "get", "action=get\n", "action=get\nprotocol=https\nhost=github.com\n",
            "\naction=get\ntimeout=900\n", "timeout=900\naction=get\nprotocol=https\nhost=github.com\n",
            "action=get\ntimeout=-1\nprotocol=https\nhost=github.com\n",
            "action=get\ntimeout=900\nprotocol=https\nhost=github.com",
            "action=get\ntimeout=900\nprotocol=https\nhost=evil.example\nhost=github.com\n",
            "action=get\r\ntimeout=900\r\nprotocol=https\r\nhost=github.com\r\n",
            "action=get\ntimeout=900\nprotocol=https\nhost=github.com\0\n",
            "action=get\ntimeout=900\n\nprotocol=https\nhost=github.com\n",
            "GET / HTTP/1.1\r\nHost: github.com\r\n\r\n", "\0\0\0\u{5}\u{b}",
        ])
    func malformed(text: String) {
        let fixture = ShareFixture(expiresIn: Self.hour)
        #expect(fixture.send(text).isEmpty && fixture.doubles.keyring.calls.isEmpty)
    }

    @Test("accepts a request of 8,192 bytes, and refuses one more")
    func length() {
        let fixture = ShareFixture(expiresIn: Self.hour)
        let request = "action=get\ntimeout=900\nprotocol=https\nhost=github.com\nwwwauth[]="
        let longest = request + String(repeating: "x", count: 8_191 - request.utf8.count) + "\n"
        #expect(fixture.send(longest) == Self.answer)
        #expect(fixture.send("action=get\ntimeout=90" + longest.dropFirst("action=get\ntimeout=9".count)).isEmpty)
    }

    @Test("accepts a word as a target's name, and refuses our own names")
    func names() {
        for name in ["box", "my-box.2", "X_1"] { #expect(ShareName(name)?.text == name) }
        for name in ["", ".", "..", ".box", "-box", "a/b", "a b", "a\n", "list", "stop", "ssh", "bóx"] {
            #expect(ShareName(name) == nil, "\(name)")
        }
        #expect(
            ShareName(String(repeating: "x", count: 32)) != nil && ShareName(String(repeating: "x", count: 33)) == nil)
        #expect(ShareName(forDestination: "me@dev/box:22").text == "ssh-me-dev-box-22")
    }
}
