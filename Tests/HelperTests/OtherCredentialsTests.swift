import TestSupport
import Testing

/// A password in a remote's URL, `http.extraHeader` and `~/.netrc`: git uses them and asks no helper.
@Suite("Credentials that git uses before it asks a helper")
struct OtherCredentialsTests: HelperSuite {
    private let examination = Examination()
    var helper: HelperFixture { examination.helper }

    /// Returns the diagnoses besides the usual line about helpers.
    private func found(_ lines: (String, String, String)..., netrc: String? = nil) -> [Diagnosis] {
        examination.machine.gitConfiguration? += lines
        doubles.environment["HOME"] = "/home/mona"
        if let netrc { verb.foreignFiles.texts["/home/mona/.netrc"] = netrc }
        return examination.found(.helpers).filter { $0.result != .ok }
    }

    @Test(
        "warns of a password in a remote's URL, with the command that removes it, and does not show it",
        arguments: [
            (
                "https://bob:hunter2@github.com/acme/app.git",
                "git uses the password in the URL of the remote origin for github.com instead of your sign-in"
            ),
            (
                "https://mona:@github.com/acme/app.git",
                "git uses the password in the URL of the remote origin for github.com instead of your sign-in"
            ),
            (
                "https://ghp_0123456789abcdefABCDEF0123456789abcd@github.com/acme/app.git",
                "the URL of the remote origin has a token as the user name for github.com"
            ),
        ])
    func remote(url: String, text: String) {
        let found = found(("local", "file:.git/config", "remote.origin.url\n\(url)"))
        #expect(found.results == [.warn] && found.texts == [text])
        #expect(found.first?.hints == ["remove it:", "  git remote set-url origin https://github.com/acme/app.git"])
        #expect(!found.everything.contains("hunter2") && !found.everything.contains("ghp_"))
        let both = self.found(("local", "file:.git/config", "remote.origin.pushurl\n\(url)"))
        #expect(both.last?.hints.last == "  git remote set-url --push origin https://github.com/acme/app.git")
    }

    @Test(
        "accepts a user name in a URL, a password for another host, and SSH",
        arguments: [
            "https://mona@github.com/acme/app", "https://bob:pw@git.example/acme/app", "git@github.com:acme/app",
            "ssh://bob:pw@github.com/acme/app",
        ])
    func noPassword(url: String) { #expect(found(("local", "file:.git/config", "remote.origin.url\n\(url)")).isEmpty) }

    @Test("finds a password that insteadOf puts into the URL, and does not show it")
    func insteadOf() {
        let found = found(
            ("local", "file:.git/config", "remote.origin.url\nhttps://github.com/acme/app"),
            ("global", "file:/g", "url.https://bob:hunter2@github.com/.insteadof\nhttps://github.com/"))
        #expect(found.results == [.fail] && !found.everything.contains("hunter2"))
        #expect(found.first?.hints.last == "  git config --edit --global")
    }

    @Test(
        "opens the file with a remote's URL, and none for a command line",
        arguments: [
            ("worktree", "file:.git/config.worktree", "  git config --edit --worktree"),
            ("system", "file:/etc/gitconfig", "  git config --edit --file /etc/gitconfig"),
            ("local", "file:.git/inc", "  git config --edit --file \"$(git rev-parse --show-toplevel)\"/.git/inc"),
            ("command", "command line:", "remove it where git is started"),
        ])
    func otherFile(scope: String, origin: String, hint: String) {
        #expect(found((scope, origin, "remote.o.url\nhttps://bob:pw@github.com/a/b")).first?.hints.last == hint)
    }

    @Test(
        "finds an Authorization header that counts, with the command that removes only that line",
        arguments: [
            ("global", "file:/home/mona/.gitconfig", .fail, "--file /home/mona/.gitconfig"),
            ("local", "file:.git/config", .warn, "--local"),
            ("local", "file:.git/inc", .warn, "--file \"$(git rev-parse --show-toplevel)\"/.git/inc"),
        ] as [(String, String, Diagnosis.Result, String)])
    func header(scope: String, origin: String, result: Diagnosis.Result, file: String) {
        let found = found((scope, origin, "http.https://github.com/.extraheader\nAUTHORIZATION: basic hunter2"))
        #expect(found.results == [result] && !found.everything.contains("hunter2"))
        let command = "  git config \(file) --unset-all http.https://github.com/.extraheader '^AUTHORIZATION:'"
        #expect(found.first?.hints == ["remove it:", command])
    }

    @Test("accepts a header that holds no password, is cleared, or is another host's")
    func otherHeaders() {
        #expect(
            found(
                ("global", "file:/g", "http.extraheader\nX-Team: acme"),
                ("global", "file:/g", "http.https://git.example.extraheader\nAuthorization: basic x"),
                ("global", "file:/g", "http.https://github.com.extraheader\nAuthorization: basic x"),
                ("global", "file:/g", "http.https://github.com.extraheader\n")
            ).isEmpty)
    }

    @Test(
        "finds an entry of ~/.netrc as curl reads it, with the command that removes it",
        arguments: [
            (
                "machine a.example login x password y\nmachine github.com\n  login bob\n  password hunter2\n",
                "sed -i --follow-symlinks '/^machine github\\.com$/,/^[[:space:]]*password[[:space:]]/d' "
                    + "/home/mona/.netrc"
            ),
            (
                "macdef init\nmachine x\n\nmachine github.com login \"b c\" password \"hunter2\" # mine\n",
                "sed -i --follow-symlinks '/^machine github\\.com /d' /home/mona/.netrc"
            ),
        ])
    func netrc(text: String, command: String) {
        let found = found(netrc: text)
        #expect(found.results == [.fail] && !found.everything.contains("hunter2"))
        #expect(found.texts == ["git uses the password for github.com in /home/mona/.netrc instead of your sign-in"])
        #expect(found.first?.hints == ["remove it:", "  " + command])
    }

    @Test(
        "names the editor for an entry of ~/.netrc if sed would not remove exactly its lines",
        arguments: [
            "default login b password c", "machine a login b password c machine GitHub.com password d",
            "machine github.com login b password c machine a login b password d",
            "machine github.com login b password c default\nlogin e password f",
            "machine github.com\n login b password c", "machine github.com\n login b\n password\n c",
            "machine github.com\n login b\nmachine a\n password c\nmachine github.com\n login b\n password d",
            "machine github.com\n password b\nmachine github.com\n login b password c\nmachine a\n password d",
            "machine github.com password b\nmachine github.com login c\n password d",
            "machine github.com\n password b\n password c", "machine github.com\n PASSWORD b\n login\n password",
            "machine github.com\n \u{1}password b", "machine github.com \n password b",
            " machine github.com password b", "machine github.com\tpassword b", "machine github.com\r\n password b\r\n",
        ])
    func editor(text: String) { #expect(found(netrc: text).map(\.hints.last) == ["  ${EDITOR:-vi} /home/mona/.netrc"]) }

    @Test("reads control bytes in ~/.netrc as blanks", arguments: ["\u{c}", "\0", "\u{1b}\u{b}", "\0a\0b\0"])
    func controlBytes(bytes: String) {
        let text = "machine a\(bytes)\nmachine github.com\(bytes)password hunter2\(bytes)"
        #expect(found(netrc: text).texts.map { $0.contains("/home/mona/.netrc") } == [true])
    }

    @Test("reads no .netrc if HOME is empty or relative", arguments: ["", "home"])
    func noHome(home: String) {
        doubles.environment["HOME"] = home
        verb.foreignFiles.texts["\(home)/.netrc"] = "machine github.com login bob password hunter2\n"
        #expect(examination.found(.helpers).allSatisfy { $0.result == .ok })
    }

    @Test(
        "accepts an entry for another host, in a comment or a macro, or without a password",
        arguments: [
            "machine git.example login bob password x\n", "# machine github.com password x\n",
            "machine github.com login bob\nmachine other password x", "macdef a\nmachine github.com password x\n", "",
            "machine github.com password", "machine github.com a\nmachine b c password d",
        ])
    func otherEntries(text: String) { #expect(found(netrc: text).isEmpty) }

    @Test("check names the password instead of judging an account that git does not use, and never shows a password")
    func check() throws {
        examination.helper.stored(expiresIn: 3_600)
        verb.remote = "https://github.com/acme/app"
        verb.files.texts[.local] = "[remote \"origin\"]\nurl = https://bob:hunter2@github.com/acme/app\n"
        verb.remote = "https://bob:hunter2@github.com/acme/app"
        let finding = try #require(try verb.objects("check").first)
        #expect(finding["result"] == "other_credential" && finding.isTrue("read") == false)
        #expect(finding.hints.last == "  git remote set-url origin https://github.com/acme/app")
        #expect(requests.isEmpty && !verb.printed.contains("hunter2"))
        #expect(try verb.run("check").status == .failed)
        verb.files.texts[.local] =
            "[remote \"origin\"]\nurl = https://github.com/acme/app\npushurl = https://bob:hunter2@git.example/acme/app\n"
        verb.remote = "https://github.com/acme/app"
        for _ in 0..<4 { respond(GitHubAnswers.repository()) }
        _ = try verb.run("check")
        #expect(!verb.said.joined().contains("hunter2"), "\(verb.said)")
    }
}
