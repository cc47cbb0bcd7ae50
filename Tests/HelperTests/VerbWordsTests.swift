import Helper
import Staging
import TestSupport
import Testing

@testable import Share

/// The lines of verbs in the states that decide a sentence, as Tests/Support/verb-words has them.
@Suite("Words of the verbs")
struct VerbWordsTests {
    private final class Words {
        var text = ""

        /// Adds what a command prints and reports, and returns it.
        @discardableResult
        func note(
            _ command: String, _ state: String, in suite: some HelperSuite, without usual: [String] = []
        ) throws -> [String] {
            let end = try suite.verb.run(command.split(separator: " ").map { String($0) })
            // The list has no time zone.
            let expiry = LocalTime.text(RecordingClock.start + 28_800).text
            let lines = (end.text + suite.told).map { $0.replacing(expiry, with: "<in 8 hours>") }
            text += "\(command): \(state) (\(end.status))\n"
            text += lines.filter { !usual.contains($0) }.map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
            // A usual finding that is missing.
            text += usual.filter { $0.hasPrefix("[") && !lines.contains($0) }.map { "  - \($0)\n" }.joined()
            return lines
        }
    }

    private let words = Words()

    @Test("are those of the list for each state")
    func all() throws {
        try doctor()
        try share()
        try others()
        mistakes()
        try WordList.compare(words.text, with: "verb-words")
    }

    private func doctor() throws {
        var usual: [String] = []
        func note(_ state: String, _ change: (Examination) -> Void) throws {
            let examination = Examination()
            examination.helper.stored(expiresIn: 3_600)
            let date = ("date", "Tue, 14 Nov 2023 22:13:20 GMT")
            examination.doubles.transport.otherwise = .json("{}", status: 404, headers: [date])
            examination.doubles.transport.aside = { request in
                if request.address.hasSuffix("/user") { return GitHubAnswers.user("octocat") }
                if request.address.hasSuffix("/login/device/code") { return GitHubAnswers.device }
                return request.address.contains("codeberg.org/.well-known/") ? GiteaAnswers.discovery() : nil
            }
            change(examination)
            let lines = try words.note("doctor --verbose", state, in: examination, without: usual)
            if usual.isEmpty { usual = lines }
        }
        func note(_ state: String, line: String, of scope: String = "global") throws {
            let origin = scope == "global" ? "file:/home/octocat/.gitconfig" : "command line:"
            try note(state) { $0.machine.gitConfiguration?.append((scope, origin, line)) }
        }
        func note(_ state: String, refusing first: InMemoryKeyring.Call) throws {
            try note(state) { examination in
                let keyring = examination.doubles.keyring
                keyring.beforeCall = { if $0 == first { keyring.fault = .denied } }
            }
        }
        try note("a machine without faults") { _ in }
        try note("an older git") { $0.machine.gitVersion = { "git version 2.40.1\n" } }
        try note("git without a version") { $0.machine.gitVersion = { nil } }
        try note("git that cannot read its files") {
            ($0.machine.gitVersion, $0.doubles.configurationFault) = ({ nil }, .failed)
        }
        try note("git that lists nothing") { $0.machine.gitConfiguration = nil }
        try note("no helper") { $0.machine.gitConfiguration = [] }
        let ours = ("command", "command line:", "credential.helper\ngitspace")
        try note("our helper on the command line") { $0.machine.gitConfiguration = [ours] }
        try note("another helper on the command line", line: "credential.helper\ncache", of: "command")
        try note("another helper after ours", line: "credential.helper\nmanager")
        try note("another helper with arguments, of the repository") {
            $0.machine.gitConfiguration?.append(("local", "file:.git/config", "credential.helper\ncache --timeout=9"))
        }
        let header = "http.https://github.com.extraheader\nAuthorization: x"
        try note("a header on the command line", line: header, of: "command")
        let address = "credential.https://ghe.example.oauthtokenurl\nhttp://ghe.example/t"
        try note("an address that is not https", line: address)
        try note("a provider without a host", line: "credential.provider\ngithub")
        try note("a server that cannot be reached") { $0.doubles.transport.fail(.unreachable) }
        try note("a server without a clock") { $0.doubles.transport.otherwise = .json("{}", status: 404) }
        let codeberg = "https://codeberg.org"
        try note("a second host, whose issuer is looked up") {
            $0.doubles.configure("credential", codeberg, "oauthClientId", "app")
        }
        try note("a keyring that asks each time") {
            ($0.doubles.keyring.isLocked, $0.doubles.keyring.unlocking) = (true, .locked)
            $0.machine.offeringProgram = .keePassXC
        }
        try note("root for another person") {
            ($0.machine.isRoot, $0.doubles.environment["SUDO_USER"]) = (true, "mona")
        }
        try note("no Landlock") { $0.machine.landlock = nil }
        try note("a program that does not run") { $0.machine.programVersion = nil }
        try note("another version") { $0.machine.programVersion = "git-credential-gitspace 0.9\n" }
        try note("no bus") { $0.machine.busFault = .noBus }
        try note("a keyring without a name") { $0.machine.providerName = nil }
        try note("a keyring that saves nothing", refusing: .save)
        try note("a keyring that removes nothing", refusing: .remove)
        try note("a keyring that confirms a removal and keeps the item") { examination in
            let keyring = examination.doubles.keyring
            var removed: Item?
            keyring.beforeCall = { call in
                if call == .remove { removed = keyring.items.last }
                guard call == .items, let item = removed, let secret = item.secret else { return }
                keyring.put(secret, under: item.attributes)
            }
        }
    }

    private func share() throws {
        func note(_ command: String, _ state: String, _ change: (ShareVerbTests) -> Void = { _ in }) throws {
            let suite = ShareVerbTests()
            suite.doubles.transport.otherwise = .json("{}")
            suite.doubles.transport.aside = { $0.address.contains("/acme/gone") ? .page(status: 404) : nil }
            change(suite)
            try words.note(command, state, in: suite)
        }
        try note("share box", "every sign-in")
        try note("share box --repository acme/app", "one repository")
        try note("share box --repository acme/gone", "a missing repository")
        try note("share box --confirm each", "questions about pushes")
        try note("share box --confirm each --read-only", "no pushes")
        try note("share box --confirm each --token", "questions about a token")
        try note("share box --confirm once --read-only", "one question")
        for command in ["share box", "share box --token"] {
            try note(command, "no Landlock") { $0.targets.confinesConnections = false }
        }
        try note("share lst", "a mistyped form")
        try note("share a/b", "no name")
        try note("share box --repository a", "no repository")
        try note("share box --repository https://github.com/a/b --host git.example", "a repository elsewhere")
        try note("share box --branch a..b", "no pattern")
        try note("share box --username bob", "another account")
        try note("share box --username bob --host github.com", "another account of a host")
        try note("share --serve box", "a unit without a host")
        try note("share box --token", "a token for good") { $0.helper.stored(expiresIn: nil, refreshToken: nil) }
        try note("share box --token", "configured limits") {
            $0.doubles.configure("gitspace-share", "box", "readOnly", "true")
        }
        let branch = String(repeating: "x", count: 240)
        try note("share box", "too many branches") { suite in
            for number in 1...300 { suite.doubles.configure("gitspace-share", "box", "branch", "\(number)\(branch)") }
        }
        try note("share stop box --refresh", "stopped before") {
            $0.targets.isShared = false
            $0.targets.saved = ShareRecord()
            $0.targets.saved?.given = [.init(host: Array("github.com".utf8), username: Array("octocat".utf8))]
            $0.respond(GitHubAnswers.gitHubAppToken)
        }
    }

    private func others() throws {
        for (answer, provider) in [("1", "github"), ("2", "github"), ("3", "github"), ("1", "gitlab"), ("1", "gitea")] {
            let setup = SetupFixture()
            let host = provider == "github" ? "github.com" : "git.example"
            (setup.doubles.builtInClientID, setup.questions.answers) = (nil, [answer])
            setup.doubles.configure("credential", "https://\(host)", "provider", provider)
            try words.note("setup \(host)", "way \(answer) at \(provider)", in: setup)
        }
        func note(_ command: String, _ state: String, _ change: (HelperFixture) -> Void) throws {
            let helper = HelperFixture()
            change(helper)
            try words.note(command, state, in: helper)
        }
        let hubot = "[credential \"https://github.com\"]\n\tusername = hubot\n"
        try note("login github.com", "signed in") {
            $0.stored(expiresIn: 3_600)
            $0.respond(GitHubAnswers.user("octocat"))
        }
        try note("status github.com", "a server that does not say") {
            for user in ["octocat", "hubot"] { $0.stored(expiresIn: nil, refreshToken: nil, user: user) }
            ($0.files.texts[.global], $0.doubles.transport.otherwise) = (hubot, .page(status: 502))
        }
        try note("status gitlab.com", "a token of nobody known") {
            ($0.doubles.builtInGitLabClientID, $0.doubles.transport.otherwise) = ("c", GitLabAnswers.insufficientScope)
            $0.brought("glpat-x", host: "gitlab.com", user: "oauth2")
        }
        try note("switch github.com --unset", "no account") { $0.files.texts[.global] = hubot }
        try note("check https://git.example/a/b", "a host of tokens alone") {
            $0.doubles.configure("credential", "https://git.example", "provider", "none")
        }
    }

    /// The parser's own complaints and ours about options that contradict each other.
    private func mistakes() {
        let ofShare = [
            "--long-lived", "--token --branch x", "--read-only --branch x", "--pull-requests", "--for soon",
            "--confirm maybe", "--repository acme/app --host a.example --host b.example",
        ]
        let commands = [
            "login --frce", "login --xyzzy", "login --username", "login --force=x", "switch a b c", "switch a b c d",
            "share", "share box --idle x", "logout github.com --force", "logout github.com mona --all",
            "setup --with-token --client-id Iv1.x", "setup --with-token --github-app",
            "setup github.com mona --username bob", "switch github.com mona --unset",
            "switch github.com mona --here --folder /work", "switch github.com mona --owner a//b",
            "configure --proactive --system",
        ]
        for command in commands + ofShare.flatMap({ ["share box \($0)", "share ssh dev \($0)"] }) {
            let complaint = complaint(about: command.split(separator: " ").map { String($0) })
            let lines = complaint.map { ParserWords.lines("Error: " + $0, columns: 10_000) } ?? []
            words.text += "\(command)\n" + lines.map { "    \($0)\n" }.joined()
        }
    }
}
