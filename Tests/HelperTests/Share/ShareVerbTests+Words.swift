import CredentialCore
import Helper
import Share
import TestSupport
import Testing
import Verbs

extension ShareVerbTests {
    @Test(
        "refuses options that contradict each other, and says which",
        arguments: [
            (["--long-lived"], "'--long-lived' goes with '--token'; without it, no token is given away."),
            (
                ["--token", "--branch", "x"],
                "'--repository', '--branch' and '--read-only' do not go with '--token': a token cannot be limited to them."
            ), (["--read-only", "--branch", "x"], "'--branch' does not go with '--read-only'."),
            (["--pull-requests"], "'--pull-requests' goes with '--branch': pull requests come from limited branches."),
            (
                ["--repository", "acme/app", "--host", "a.example", "--host", "b.example"],
                "'--repository' goes with one host."
            ),
        ])
    func contradictions(options: [String], words: String) {
        for verb in [["share", "box"], ["share", "ssh", "dev"]] { #expect(complaint(about: verb + options) == words) }
    }

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

    @Test("says when a gateway's share ends, what a place cannot do, and what a dev container can do outside")
    func limitsOfPlaces() throws {
        let end = LocalTime.soon(RecordingClock.start + 28_800, now: RecordingClock.start).text
        let text = try verb.run("share", "box", "--for", "8h").text
        let first = "Sharing github.com (as octocat) as \"box\" until \(end): read and push. No token is given away."
        #expect(text.first == first)
        #expect(text.contains("The user inside must be you or root; for any other, each git command fails."))
        let container = "For a dev container, in your project's folder; what it writes there, such as a hook, "
        let writes = try #require(text.firstIndex(of: container + "can run on your machine:"))
        #expect(text[writes + 1].hasPrefix("  devcontainer up --workspace-folder . "))
        let largeFiles = "Files in Git LFS stay pointers inside; --token can fetch them."
        #expect(text.contains(largeFiles))
        let noLandlock =
            "This kernel has no Landlock, which would keep what reads the place's requests away from your files."
        #expect(!text.contains(noLandlock))
        targets.confinesConnections = false
        #expect(try verb.run("share", "box").text.prefix(2).last == noLandlock)
        let token = try verb.run("share", "box", "--token").text
        #expect(!token.contains(noLandlock) && !token.contains(largeFiles))
    }

    @Test(
        "says when the person is asked",
        arguments: [
            (["--confirm", "each"], "You are asked before each push."),
            (["--confirm", "each", "--read-only"], "You are not asked when it is used."),
            (["--confirm", "each", "--token"], "You are asked each time it is used."),
            (["--confirm", "once", "--read-only"], "You are asked once, and again after 8 hours or a screen lock."),
            ([], "You are not asked when it is used."),
        ])
    func confirmation(options: [String], words: String) throws {
        let text = try verb.run(["share", "box"] + options).text
        #expect(text.filter { $0.hasPrefix("You are ") } == [words])
    }
}
