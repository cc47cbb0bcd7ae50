import Staging
import Testing

@Suite("Hostile folders")
struct HostileFolderTests {
    /// All programs that we or our libraries start by name, and some that might be.
    private static let programs = [
        "git", "git-credential-cache", "git-credential-gitspace", "git-credential-gitspace-full", "wl-copy", "xclip",
        "xsel", "clip.exe", "xdg-open", "gio", "gio-launch-desktop", "browser", "firefox", "wslview", "powershell.exe",
        "dbus-launch", "gnome-keyring-daemon", "secret-tool", "sh", "tmux",
    ]

    /// Returns a folder with these programs, each of which notes that it has run.
    private func trap(in fixture: EndToEndFixture) async throws -> (folder: String, note: String) {
        let folder = fixture.session.home + "/trap"
        let note = fixture.session.home + "/note"
        let program = folder + "/" + Self.programs[0]
        try await fixture.session.write(program: program, "#!/bin/sh\necho \"$0 $*\" >>'\(note)'\n")
        let copies = "mkdir bin && for name; do cp -n '\(program)' $name; cp '\(program)' bin/$name; done"
        try await fixture.session.run(["sh", "-c", copies, "sh"] + Self.programs, in: folder).succeeded()
        return (folder, note)
    }

    private func ran(_ note: String) -> String {
        FileManager.default.contents(atPath: note).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Returns the words before a command that set this PATH, or that unset it for `nil`.
    private func with(path: String?) -> [String] { ["env"] + (path.map { ["PATH=\($0)"] } ?? ["-u", "PATH"]) }

    @Test(
        "no verb, operation or key runs a program of the folder",
        arguments: [nil, "", ".", ":REAL", "REAL:", ".:REAL", "./bin:REAL", "bin:REAL", "REAL::REAL"] as [String?])
    func programs(form: String?) async throws {
        let fixture = try await EndToEndFixture()
        let (folder, note) = try await trap(in: fixture)
        let path = form?.replacing("REAL", with: fixture.session.environment["PATH"] ?? "/usr/bin:/bin")
        let desktop = ["DISPLAY": ":77", "WAYLAND_DISPLAY": "none-0", "BROWSER": "browser"]
        for arguments in [
            ["doctor"], ["status"], ["check", fixture.address("acme/private")], ["configure", "--dry-run"],
            ["setup", "github.com", "--yes"], ["capability"], ["refresh", fixture.host],
        ] {
            _ = try await fixture.start(
                with(path: path) + [BuiltFiles.helper] + arguments, in: folder, environment: desktop
            ).ended()
            #expect(ran(note).isEmpty, "\(arguments): \(ran(note))")
        }
        let terminal = try PseudoTerminal()
        let running = try fixture.start(
            with(path: path) + [BuiltFiles.helper, "get"], in: folder, environment: desktop,
            input: fixture.request, on: terminal)
        try await terminal.takesKeys()
        terminal.type("c")
        terminal.type("\r")
        terminal.type("q")
        _ = try await running.ended()
        #expect(ran(note).isEmpty, "\(ran(note))")
    }

    @Test("GIO runs no program of the folder, even without a PATH")
    func desktopEntry() async throws {
        let paths = [nil, "", ".", ":/usr/bin:/bin", "/usr/bin:/bin:.", "bin:/usr/bin:/bin"] as [String?]
        let fixture = try await EndToEndFixture()
        let (folder, note) = try await trap(in: fixture)
        let home = fixture.session.home
        for (name, entry) in [
            ("plain", "Exec=browser %u"), ("org.example.Browser", "Exec=browser %u\nDBusActivatable=true"),
        ] {
            try fixture.session.makeDefault(name, entry, data: home + "/data", configuration: home + "/settings")
            for path in paths {
                _ = try await fixture.start(
                    with(path: path) + [BuiltFiles.helper, "open-page", fixture.address()], in: folder,
                    environment: [
                        "DISPLAY": ":77", "XDG_DATA_HOME": home + "/data", "XDG_CONFIG_HOME": home + "/settings",
                        "DBUS_SESSION_BUS_ADDRESS": "autolaunch:",
                    ]
                ).ended()
                #expect(ran(note).isEmpty, "\(name), \(path ?? "no PATH"): \(ran(note))")
            }
        }
    }

    @Test("no desktop entry of the folder counts as the person's")
    func relativeData() async throws {
        let fixture = try await EndToEndFixture()
        let (folder, note) = try await trap(in: fixture)
        let entry = "Exec=\(folder)/browser %u"
        try fixture.session.makeDefault("plain", entry, data: folder + "/data", configuration: folder + "/settings")
        for environment in [
            ["XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "settings"],
            ["XDG_DATA_DIRS": "data:/usr/share", "XDG_CONFIG_DIRS": "settings"],
        ] {
            _ = try await fixture.gitspace("open-page", fixture.address(), in: folder, environment: environment)
            #expect(ran(note).isEmpty, "\(ran(note))")
        }
    }

    @Test(
        "setup takes over no credentials from the current folder if a variable names a relative path",
        arguments: ["GH_CONFIG_DIR", "XDG_CONFIG_HOME"])
    func relativeCredentials(variable: String) async throws {
        let fixture = try await EndToEndFixture()
        let folder = fixture.session.home + "/trap"
        for place in ["/gh", "/git"] {
            try FileManager.default.createDirectory(atPath: folder + place, withIntermediateDirectories: true)
        }
        let hosts = "github.com:\n    user: mallory\n    oauth_token: gho_mallory\n"
        for path in ["/hosts.yml", "/gh/hosts.yml"] { try hosts.write(to: folder + path) }
        try "https://mallory:gho_mallory@github.com\n".write(to: folder + "/git/credentials")
        let end = try await fixture.gitspace("setup", "github.com", "--yes", in: folder, environment: [variable: "."])
        #expect(!end.output.contains("mallory") && !end.errors.contains("mallory"), "\(end.output)")
        #expect(try await fixture.session.items().isEmpty)
    }
}

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
        try await fixture.answer(on: terminal)
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
}
