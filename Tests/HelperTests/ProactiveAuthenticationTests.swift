import CredentialCore
import Helper
import Language
import Messages
import TestSupport
import Testing
import Verbs

@Suite("The token with the first request")
struct ProactiveAuthenticationTests {
    private let helper = HelperFixture()
    private let verb: VerbFixture
    private var files: InMemoryConfigurationFiles { verb.files }
    private var doubles: Doubles { helper.doubles }
    private static let lines = [
        "[http \"https://github.com\"]", "\tproactiveAuth = basic", "[http \"https://gist.github.com\"]",
        "\tproactiveAuth = basic",
    ]

    init() { verb = VerbFixture(helper.doubles) }

    private func configure(_ options: Configure.Options = .init(isProactive: true)) -> (
        status: Verbs.ExitStatus, reports: [Configure.Report]
    ) {
        doubles.run(Configure(.global, options, files: files, with: .forTests(doubles)))
    }

    private func logout(_ user: String, host: String = "github.com") throws -> [LastLogout.Report] {
        let request = try Request("protocol=https\nhost=\(host)\nusername=\(user)")
        let logout = Logout(request, .one, with: .forTests(doubles))
        return doubles.run(LastLogout(logout, of: request, files: files, with: .forTests(doubles))).reports
    }

    @Test("it is turned on for the hosts where somebody is signed in, once, and unconfigure takes it back")
    func onAndOff() throws {
        files.texts[.global] = "[credential \"https://ghe.example\"]\n\tprovider = github"
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        let before = files.texts
        helper.stored(expiresIn: 3_600)
        let (status, reports) = configure()
        #expect(status == .done)
        #expect(reports.first?.proactive == .on(hosts: ["github.com", "gist.github.com"], added: Self.lines))
        let text = files.texts[.global]
        #expect(text?.contains("# Added by: git credential-gitspace configure\n" + Self.lines[0] + "\n") == true)
        #expect(configure().reports.first?.proactive == .on(hosts: ["github.com", "gist.github.com"], added: []))
        #expect(files.texts[.global] == text)
        #expect(try verb.run("unconfigure").status == .done)
        #expect(files.texts == before)
    }

    @Test("a configure without it leaves it as it is")
    func stays() {
        helper.stored(expiresIn: 3_600)
        _ = configure()
        let text = files.texts[.global]
        #expect(configure(.init()).status == .done && files.texts[.global] == text)
    }

    @Test("a dry run shows the lines and writes nothing")
    func dryRun() {
        helper.stored(expiresIn: 3_600)
        let report = configure(.init(isDryRun: true, isProactive: true)).reports.first
        #expect(report?.proactive == .on(hosts: ["github.com", "gist.github.com"], added: Self.lines))
        #expect(files.texts.isEmpty)
    }

    @Test("an older git does not know it: that is said, and nothing is set", arguments: ["2.45.1", "2.39.5", nil])
    func olderGit(version: String?) {
        helper.stored(expiresIn: 3_600)
        files.version = version.map { "git version \($0)\n" }
        let (status, reports) = configure()
        let short = version.map { DisplayText(own: String($0.prefix(4))) }
        #expect(status == .done && reports.first?.proactive == .gitTooOld(version: short))
        #expect(files.texts[.global]?.contains("proactiveAuth") == false)
    }

    @Test("while nobody is signed in it stays off, and that is an error; a dead token is nobody")
    func nobody() {
        helper.stored(expiresIn: -10, refreshToken: nil)
        #expect(configure().status == .failed)
        #expect(doubles.errors == [.proactiveNeedsSignIn(host: "github.com")])
        #expect(files.texts[.global]?.contains("proactiveAuth") == false)
        #expect(files.texts[.global]?.contains("helper = gitspace") == true)
    }

    @Test("a keyring that cannot be asked is told")
    func locked() {
        doubles.keyring.fault = .locked
        #expect(configure().status == .failed && doubles.errors == [.keyring(.locked)])
    }

    @Test("the last log-out of a host takes it back for the host alone, an earlier one does not")
    func lastLogout() throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        files.texts[.global] = "[credential \"https://ghe.example\"]\n\tprovider = github\n"
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: 3_600, user: "hubot")
        helper.stored(expiresIn: 3_600, host: "ghe.example", user: "mona")
        _ = configure()
        let text = files.texts[.global]
        #expect(try logout("hubot").count == 1 && files.texts[.global] == text)
        let reports = try logout("octocat")
        #expect(reports.count == 2)
        guard case .proactiveTakenBack(host: "github.com") = reports.last else {
            Issue.record("not taken back")
            return
        }
        #expect(files.texts[.global]?.contains(Self.lines[0]) == false)
        #expect(files.texts[.global]?.contains(Self.lines[2]) == false)
        #expect(files.texts[.global]?.contains("[http \"https://ghe.example\"]\n\tproactiveAuth = basic") == true)
        #expect(files.texts[.global]?.contains("helper = gitspace") == true)
    }

    @Test("somebody's own setting is left alone")
    func byHand() throws {
        let own = "[http]\n\tproactiveAuth = auto\n"
        files.texts[.global] = own
        helper.stored(expiresIn: 3_600)
        #expect(configure().reports.first?.proactive == .on(hosts: ["github.com", "gist.github.com"], added: []))
        _ = try logout("octocat")
        #expect(files.texts[.global]?.hasPrefix(own) == true)
    }

    @Test("status mentions it once, for the hosts where somebody is signed in")
    func status() throws {
        let files = InMemoryConfigurationFiles()
        let line = "\tproactiveAuth = basic\n"
        files.texts[.global] = "[http \"https://github.com\"]\n\(line)[http \"https://ghe.example\"]\n\(line)"
        let status = Status(nil, isOffline: true, files: files, with: .forTests(doubles))
        func lines() throws -> [String] {
            try #require(doubles.run(status).reports.first).lines.map(\.english).filter { $0.contains("first request") }
        }
        #expect(try lines().isEmpty)
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: 3_600, user: "hubot")
        #expect(try lines() == ["git sends your token with its first request to github.com"])
        files.texts[.global] = nil
        #expect(try lines().isEmpty)
    }
}
