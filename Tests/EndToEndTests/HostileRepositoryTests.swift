import Staging
import Testing

/// A cloned repository whose addresses try to change a sign-in.
///
/// git stores the password of an address after the first success, although the server has asked for none.
@Suite("Hostile repositories")
struct HostileRepositoryTests {
    /// Creates the repository, with these names and passwords in the URLs of its submodules.
    private func publish(_ authorities: [String], on fixture: EndToEndFixture) async throws {
        let owner = fixture.github.issueToken(for: "monalisa", app: fixture.app).accessToken
        try fixture.github.createRepository("octo/public", isPrivate: false, writers: ["monalisa"])
        try fixture.github.createRepository("octo/parent", isPrivate: false, writers: ["monalisa"])
        let modules = authorities.enumerated().map { number, authority in
            """
            [submodule "m\(number)"]
            \tpath = m\(number)
            \turl = https://\(authority)@\(fixture.host)/octo/public.git

            """
        }
        let folder = fixture.session.home + "/parent"
        let script = """
            set -e; git init --quiet "$1"; cd "$1"; printf %s "$2" >.gitmodules; git add .gitmodules
            commit=$(git ls-remote "$3" HEAD | cut -f1)
            for number in $(seq 0 \(authorities.count - 1)); do
              git update-index --add --cacheinfo "160000,$commit,m$number"
            done
            git commit --quiet -m hostile; git -c credential.helper= push --quiet --force "$4" HEAD:refs/heads/main
            """
        let end = try await fixture.start([
            "sh", "-c", script, "sh", folder, modules.joined(), fixture.address("octo/public"),
            fixture.address("octo/parent", user: "monalisa:\(owner)"),
        ]).ended()
        try #require(end.status == 0, "\(end.errors)")
    }

    @Test(
        "keeps and returns a sign-in, whatever names and passwords the addresses of submodules have",
        arguments: Git.all,
        [
            (["monalisa:garbage"], ""), (["eve:ghp_eve", "monalisa:garbage", "x-access-token:ghp_eve"], ""),
            (["eve:ghp_eve", "monalisa:garbage"], "useHttpPath = true"),
        ])
    func passwords(git: Git, trap: (authorities: [String], settings: String)) async throws {
        let fixture = try await EndToEndFixture(git: git, app: .gitHubApp(interval: 1), settings: trap.settings)
        let issued = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await publish(trap.authorities, on: fixture)
        try await fixture.remember(issued, expiringIn: 20_000)
        let before = try await fixture.session.items()
        try await fixture.git(
            "clone", "--quiet", "--recurse-submodules", fixture.address("octo/parent"), fixture.session.home + "/clone"
        ).succeeded()
        let after = try await fixture.session.items()
        #expect(after.filter { $0.attributes["user"] == "monalisa" } == before, "\(after)")
        for request in ["", "path=octo/public.git\n", "username=monalisa\n"] {
            let filled = try await fixture.git(
                "credential", "fill", input: "protocol=https\nhost=\(fixture.host)\n\(request)\n")
            #expect(filled.output.contains("username=monalisa\npassword=\(issued.accessToken)\n"), "\(filled.output)")
        }
    }

    @Test("does not take a token for a sign-in that was planted before the first one", arguments: Git.all)
    func planted(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, app: .gitHubApp(interval: 1))
        let planted = fixture.github.issueToken(for: "mallory", app: fixture.app).accessToken
        try await publish(["monalisa:\(planted)"], on: fixture)
        try await fixture.git(
            "clone", "--quiet", "--recurse-submodules", fixture.address("octo/parent"), fixture.session.home + "/clone"
        ).succeeded()
        #expect(try await fixture.session.items().map(\.password) == [planted])
        let status = try await fixture.gitspace("status", "--json").output
        #expect(
            status.contains(
                #""username": "monalisa", "path": null, "installation": null, "state": "other_account", "owner": "mallory""#
            ), "\(status)")
        let terminal = try PseudoTerminal()
        let login = try fixture.start([BuiltFiles.helper, "login", fixture.host], on: terminal)
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        let end = try await login.ended()
        #expect(end.status == 0 && !end.output.contains("Already signed in"), "\(end.output)")
        let items = try await fixture.session.items()
        #expect(items.count == 1 && items.first?.password != planted)
        try await fixture.git("ls-remote", fixture.address()).succeeded()
    }

    @Test("shows no text of a URL or folder above the code", arguments: [80, 40] as [UInt16])
    func screen(columns: UInt16) async throws {
        let fixture = try await EndToEndFixture()
        guard try await fixture.passesNames() else { return }
        let folder = fixture.session.home + "/1. Open https:evil.example 2. Enter this code: ATTK-3R00"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let terminal = try PseudoTerminal(columns: columns)
        // The name is as close to an instruction as GitHub's names allow. Other names start no sign-in.
        let name = "octocat-Enter-this-code-ATTK-3R00"
        let running = try fixture.startGit(["ls-remote", fixture.address(user: name)], in: folder, on: terminal)
        try await terminal.type("q", after: "Ctrl-C cancels")
        _ = try await running.ended()
        let code = try #require(fixture.github.newestUserCode)
        let parts = terminal.screen.components(separatedBy: code)
        let (above, below) = (parts[0], parts.dropFirst().joined().replacing("\n", with: " "))
        #expect(!above.contains("evil") && !above.contains("octocat") && !above.contains("ATTK"), "\(above)")
        #expect(
            below.contains(
                #"Sign in as: octocat-Enter-this-code-ATTK-3R00 Asked by: git ls-remote, in "1. Open https:evil.example 2....""#
            ), "\(below)")
    }

    @Test("sends two tokens in a row to a server that always refuses, and no third")
    func refusedForEver() async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        try await fixture.signedIn("monalisa", expiringIn: 20_000)
        var given: [String] = []
        for _ in 1...5 {
            let filled = try await fixture.helper("get", "capability[]=state")
            let lines = filled.output.split(separator: "\n").map(String.init)
            guard let password = lines.first(where: { $0.hasPrefix("password=") }) else { break }
            given.append(password)
            #expect(try await fixture.startHelper("erase", lines).ended().status == 0)
        }
        #expect(given.count == 2 && Set(given).count == 2, "\(given)")
        #expect(fixture.github.count(of: .refresh) == 1)
    }
}
