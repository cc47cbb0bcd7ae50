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

    @Test("says when a gateway's share ends")
    func endOfGateway() throws {
        let end = LocalTime.soon(RecordingClock.start + 28_800, now: RecordingClock.start).text
        #expect(
            try verb.run("share", "box", "--for", "8h").text.first
                == "Sharing github.com (as octocat) as \"box\" until \(end): read and push. No token is given away.")
    }
}
