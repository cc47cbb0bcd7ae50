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
