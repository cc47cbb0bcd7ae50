import TestSupport
import Testing

@Suite("The verb doctor: git's helpers")
struct DoctorHelperTests {
    /// Returns the findings about helpers, for lines of git's global configuration.
    private func helpers(_ lines: String..., origin: String = "file:/home/o/.gitconfig") -> [Diagnosis] {
        let (scope, store) = (
            origin.hasPrefix("file:") ? "global" : "command", "/usr/lib/git-core/git-credential-store"
        )
        return Examination.diagnoses(.helpers) {
            $0.machine.gitConfiguration = lines.map { (scope, origin, $0) }
            $0.machine.programs[store] = store
        }
    }

    @Test("reads the helpers in the order of git's files, and an empty value clears those before it")
    func order() {
        #expect(helpers().results == [.fail])
        #expect(helpers("credential.helper\ngitspace").results == [.ok])
        #expect(
            helpers("credential.helper\nstore", "credential.helper\n", "credential.helper\ngitspace").results == [.ok])
        #expect(
            helpers(
                "credential.helper\ncache", "credential.https://github.com.helper\n",
                "credential.https://github.com.helper\ngitspace"
            ).results == [.ok])
        #expect(helpers("credential.helper\ngitspace", "credential.helper\n").results == [.fail])
        #expect(Examination.diagnoses(.helpers) { $0.machine.gitConfiguration = nil }.results == [.fail])
        #expect(
            helpers("credential.https://gitlab.com.helper\nstore", "credential.helper\ngitspace").results == [.ok],
            "for another host")
        #expect(helpers("credential.https://*.com.helper\ncache", "credential.helper\ngitspace").results == [.warn])
    }

    @Test(
        "warns of a repository's own line that only resembles ours",
        arguments: ["/r/git-credential-gitspace", "!git credential-gitspace", "/r/git-credential-gitspace --x"])
    func impostor(value: String) {
        for scope in ["local", "worktree"] {
            let found = Examination.diagnoses(.helpers) {
                $0.machine.gitConfiguration = [
                    ("global", "file:/g", "credential.helper\ngitspace"),
                    (scope, "file:.git/config", "credential.helper\n\(value)"),
                ]
            }
            #expect(found.results == [.warn])
        }
    }

    @Test(
        "names the helper that replaces ours, or runs before or after it, and the command that restores ours",
        arguments: [
            (
                "credential.https://github.com.helper\n",
                "credential.https://github.com.helper\n!gh auth git-credential", .fail,
                "git uses the helper !gh auth git-credential instead of gitspace for github.com "
            ),
            (
                "credential.helper\nosxkeychain", "credential.helper\ngitspace", .warn,
                "the helper osxkeychain runs before gitspace for github.com: its answer is used instead, "
                    + "and it receives your tokens "
            ), ("credential.helper\ngitspace", "credential.https://github.com.helper\nmanager", .warn, ""),
        ] as [(String, String, Diagnosis.Result, String)])
    func replaced(first: String, second: String, result: Diagnosis.Result, text: String) {
        let found = helpers(first, second)
        #expect(found.results == [result] && found.texts.allSatisfy { $0.hasPrefix(text) }, "\(found.texts)")
        #expect(found.texts.first?.hasSuffix("(set in /home/o/.gitconfig)") == true, "\(found.texts)")
        #expect(found.everything.hasSuffix("  git credential-gitspace configure github.com"))
        let commandLine = helpers("credential.helper\ngitspace", "credential.helper\ncache", origin: "command line:")
        #expect(commandLine.everything.contains("the command line"))
    }

    @Test(
        "reports a helper that writes plain text as a failure",
        arguments: [
            "store", "store --file=/x", "/usr/lib/git-core/git-credential-store", "!git credential-store --file x",
        ])
    func plainText(value: String) {
        #expect(helpers("credential.helper\n\(value)", "credential.helper\ngitspace").results == [.fail])
        #expect(helpers("credential.helper\ngitspace", "credential.helper\n\(value)").results == [.fail])
        #expect(helpers("credential.helper\n\(value)").results == [.fail, .fail])
    }

    @Test(
        "recognizes our helper by each of its names",
        arguments: ["gitspace", "/opt/bin/git-credential-gitspace", "!/opt/git-credential-gitspace", "gitspace --x"])
    func ours(value: String) { #expect(helpers("credential.helper\n\(value)").results == [.ok]) }

    @Test("shows only a helper's name, because a value may hold a password")
    func secrets() {
        let lines = helpers(
            "credential.helper\n!f() { echo password=hunter2; }; f", "credential.helper\nx --token hunter2",
            "credential.helper\ngitspace", "credential.https://me:hunter2@github.com.helper\ncache",
            "credential.helper\n\u{1b}[2Jhunter", origin: "file:/home/\u{202e}/.gitconfig")
        #expect(lines.count == 4)
        #expect(!lines.everything.contains("hunter2"))
        #expect(lines.everything.unicodeScalars.allSatisfy { $0 == "\n" || (0x20...0x7e).contains($0.value) })
    }

    @Test(
        "names the command that removes a repository's line, unless a shell would act on the line, or it has a password",
        arguments: [
            ("credential.helper\ncache", "  git config --local --unset-all credential.helper '^cache$'"),
            ("credential.helper\nx'$(id)'", "remove that line by hand"),
            ("credential.https://me:hunter2@github.com.helper\ncache", "remove that line by hand"),
        ])
    func removal(line: String, hint: String) {
        let found = Examination.diagnoses(.helpers) {
            $0.machine.gitConfiguration?.append(("local", "file:.git/config", line))
        }
        #expect(found.results == [.warn] && found.first?.hints.last == hint, "\(found)")
    }

    @Test("does not run a program that only a repository names")
    func repository() {
        let examination = Examination()
        examination.machine.gitConfiguration = [
            ("local", "file:.git/config", "credential.helper\n/evil/git-credential-gitspace")
        ]
        let found = examination.found()
        #expect(found.filter { $0.check == .helpers }.results == [.fail])
        #expect(!found.filter { $0.check == .program }.everything.contains("evil"))
    }
}
