import CredentialCore
import Helper
import Share
import TestSupport
import Testing
import Verbs

extension ShareVerbTests {
    @Test("--serve shares nothing if the section of the place has settings, but names no host")
    func noHostInUnit() throws {
        doubles.configure("gitspace-share", "box", "readOnly", "true")
        #expect(try verb.run("share", "--serve", "box").status == .failed && targets.closed == 0)
        #expect(sentences == ["git's configuration names no host for the shared place \"box\""])
        doubles.configure("gitspace-share", "box", "repository", "https://github.com/acme/app")
        #expect(try verb.run("share", "--serve", "box").status == .done)
        #expect(targets.saved?.gateway?.isReadOnly == true && targets.saved?.hosts.count == 1)
    }

    @Test("shares no host for which only the token of a path is stored")
    func tokenOfPath() throws {
        for item in doubles.keyring.items { try doubles.keyring.remove(item) }
        helper.brought("token", path: "acme/app")
        #expect(try verb.run("share", "box").status == .failed && targets.closed == 0)
        #expect(sentences == ["you are not signed in anywhere, so there is nothing to share"])
        helper.stored(expiresIn: 28_800)
        #expect(try verb.run("share", "box").status == .done)
        #expect(targets.saved?.hosts == [Array("github.com".utf8)])
    }

    @Test("keeps git's configured limits if the command names none, and repeats them in the line for an SSH host")
    func configuredLimits() throws {
        for user in ["octocat", "hü"] { helper.stored(expiresIn: 28_800, host: "git.example", user: user) }
        for (key, value) in [("host", "git.example"), ("username", "hü"), ("confirm", "Each"), ("branch", "x")] {
            doubles.configure("gitspace-share", "box", key, value)
        }
        let sharing = "Sharing git.example (as h\\xc3\\xbc) as \"box\": read; push to x only. No token is given away."
        #expect(try verb.run("share", "box").text.prefix(2) == [sharing, "You are asked before each push."])
        // The verb takes no `--branch` beside `--read-only`.
        let line = "share ssh HOST --host git.example --read-only --username hü --confirm each"
        #expect(try verb.run("share", "box", "--read-only").text.contains("  git credential-gitspace " + line))
    }

    @Test("gives no token where a repository is the configured limit")
    func limitWithToken() throws {
        doubles.configure("gitspace-share", "safe", "repository", "acme/app")
        #expect(try verb.run("share", "safe", "--token").status == .failed && targets.closed == 0)
        #expect(sentences == ["a token cannot be limited as git's configuration says for \"safe\"; nothing is shared"])
    }

    @Test("says when a gateway's share ends")
    func endOfGateway() throws {
        let end = LocalTime.soon(RecordingClock.start + 28_800, now: RecordingClock.start).text
        #expect(
            try verb.run("share", "box", "--for", "8h").text.first
                == "Sharing github.com (as octocat) as \"box\" until \(end): read and push. No token is given away.")
        // The hour alone would be ambiguous.
        #expect(end.count == 5 && LocalTime.soon(43_200, now: 0) == LocalTime.text(43_200))
    }
}
