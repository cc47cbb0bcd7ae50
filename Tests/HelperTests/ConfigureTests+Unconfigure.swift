import TestSupport
import Testing

/// The lines that `unconfigure` removes, shows and leaves.
extension ConfigureTests {
    @Test("unconfigure --dry-run shows the lines, and leaves out what stays")
    func dryUnconfigure() throws {
        try configure()
        let text = files.texts[.global]
        helper.brought("gho_x", user: "mona")
        let shown = try unconfigure("--dry-run")
        #expect(shown.first == "Would remove from /global:" && files.texts[.global] == text)
        let first = ["  [credential \"https://github.com\"]", "  \thelper =", "  \thelper = gitspace"]
        #expect(shown.dropFirst().prefix(3) == first[...])
        #expect(shown.count == 7)
        let done = try unconfigure()
        #expect(done[1..<7] == shown.dropFirst() && done.contains { $0.contains("To remove") })
    }

    @Test("unconfigure names the client IDs and tokens that stay, for which configure suggests no sign-in")
    func whatStays() throws {
        helper.brought("gho_x", user: "mona")
        #expect(try !configure().contains { $0.contains("To sign in") })
        files.texts[.global, default: ""] += "[credential \"https://github.com\"]\n\toauthClientId = Ov23\n"
        #expect(
            try unconfigure().suffix(4) == [
                "The OAuth client ID stays in git's configuration. To remove it as well:",
                "  git config --file /global --fixed-value --unset-all credential.https://github.com.oauthClientId Ov23",
                "Your tokens are still stored. To remove them as well:",
                "  git credential-gitspace logout github.com --all",
            ])
    }

    @Test("unconfigure names the command for the other file's lines, and shows how to remove lines by hand")
    func notRemoved() throws {
        try configure()
        let lines = try unconfigure("--system")
        let nothing = "Nothing to do: configure has not added anything to /system."
        let used = "git still uses gitspace because of what configure has added to /global. To remove it as well:"
        #expect(lines == [nothing, used, "  git credential-gitspace unconfigure"])
        files.fault = .notPermitted("/global")
        #expect(try verb.run("unconfigure").status == .failed)
        let unchanged = "nothing was changed; to see the lines and remove them yourself:"
        #expect(hints == [unchanged, "  git credential-gitspace unconfigure --dry-run"])
        #expect(try verb.run("configure", "git.example", "--proactive").status == .failed)
        #expect(hints.last == "  git credential-gitspace configure git.example --proactive --dry-run")
    }

    @Test("unconfigure names an account that switch chose, and a token that is only stored")
    func staysToo() throws {
        files.texts[.global] = "[credential \"https://github.com\"]\n\tusername = zoe\n"
        try configure()
        // setup writes this for a host without sign-ins.
        files.texts[.global]?.replace("//gist.github.com", with: "//bitbucket.org")
        doubles.keyring.put(StoredCredential(username: Array("me".utf8), password: Secret("t")), for: "bitbucket.org")
        let lines = try unconfigure()
        #expect(lines.contains("The default account stays in git's configuration. To remove it as well:"), "\(lines)")
        let line = "  git config --file /global --fixed-value --unset-all credential.https://github.com.username zoe"
        #expect(lines.contains(line))
        #expect(lines.last == "  git credential-gitspace logout bitbucket.org --all", "\(lines)")
    }

    @Test("unconfigure names the host of a removed line, even if another line keeps its section")
    func removedNamesHost() throws {
        _ = try configure()
        files.texts[.global]? += "\tusername = zoe\n"
        let lines = try unconfigure()
        #expect(lines.contains("  [credential \"https://gist.github.com\"]"), "\(lines)")
    }

    private static let app = "[credential \"https://github.com\"]\n\tgithubAppId = 4711\n\tgithubAppKey = /k\n"

    @Test("makes git send the repository's path to an app, changes nothing in a second run, and is undone completely")
    func app() throws {
        files.texts[.global] = Self.app
        let section = ["[credential \"https://github.com\"]", "\tuseHttpPath = true"]
        #expect(try configure().below("Added to /global:").suffix(2) == section[...])
        #expect(files.texts[.global]?.contains("useHttpPath = true") == true)
        #expect(try configure().first?.hasPrefix("Nothing to do: ") == true && files.writes == 1)
        try unconfigure()
        #expect(files.texts[.global] == Self.app)
    }

    @Test("adds the line for an app that is configured later, and leaves a person's own line alone")
    func laterApp() throws {
        try configure()
        files.texts[.global, default: ""] += Self.app
        #expect(try added(configure()) == ["[credential \"https://github.com\"]", "\tuseHttpPath = true"])
        try unconfigure()
        #expect(files.texts[.global] == Self.app)
        files.texts[.global] = Self.app + "\tuseHttpPath = false\n"
        try configure()
        try unconfigure()
        #expect(files.texts[.global] == Self.app + "\tuseHttpPath = false\n")
    }

    @Test("unconfigure names the settings of sign-ins, apps, keys, stores and shares that stay, without a secret")
    func settingsStay() throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        files.texts[.global] = """
            [credential "https://ghe.example"]
            \tprovider = github
            \toauthScopes = repo
            \toauthClientSecret = s3
            \tgitspaceFlow = device
            \toauthClientKey = /k.pem
            \tgithubAppId = 1
            \tgithubAppKey = /a.pem
            [credential]
            \tgitspaceStore = cache
            \tgitspaceCollection = work
            [credential "https://dev.azure.com"]
            \tprovider = generic
            [gitspace-share "box"]
            \thost = github.com
            \tconfirm = each
            """
        try configure()
        let name = "credential.https://ghe.example"
        let command = "git config --file /global --fixed-value --unset-all"
        let lines = try unconfigure()
        #expect(
            lines.below("These settings for signing in stay in git's configuration. To remove them as well:") == [
                "\(command) \(name).provider github", "\(command) \(name).oauthScopes repo",
                "git config --file /global --unset-all \(name).oauthClientSecret",
                "\(command) \(name).oauthClientKey /k.pem", "\(command) \(name).githubAppId 1",
                "\(command) \(name).githubAppKey /a.pem", "\(command) \(name).gitspaceFlow device",
                "\(command) credential.gitspaceStore cache", "\(command) credential.gitspaceCollection work",
            ])
        let line = "git config --file /global --remove-section gitspace-share.box"
        #expect(lines.below("These settings for shares stay in git's configuration. To remove them as well:") == [line])
    }
}
