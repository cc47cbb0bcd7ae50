import Staging
import Testing

@Suite("Accounts of folders and repositories")
struct FolderAccountTests {
    @Test(
        "reports a mounted configuration that cannot be replaced, prints the lines, and leaves no file",
        .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)))
    func mounted() async throws {
        let fixture = try await SeveralAccountsTests.fixture()
        let home = fixture.session.home
        try make(home + "/work")
        let before = try FileManager.default.contentsOfDirectory(atPath: home).sorted()
        let script = """
            mount --bind "$HOME/.gitconfig" "$HOME/.gitconfig" && exec "$0" switch "$1" bob --folder "$HOME/work"
            """
        let end = try await fixture.start(["unshare", "--mount", "sh", "-c", script, BuiltFiles.helper, fixture.host])
            .ended()
        #expect(end.status == 1 && end.errors.contains("Device or resource busy"), "\(end.errors)")
        for line in [
            "[includeIf \"gitdir:\(home)/work/\"]", "\tpath = \".gitconfig-gitspace-work-", "\tusername = bob",
        ] { #expect(end.errors.contains(line), "\(end.errors)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).sorted() == before)
    }

    /// Runs git, which asks the server, and returns the account that was let in.
    private func user(_ fixture: EndToEndFixture, _ words: String..., in folder: String? = nil) async throws -> String {
        let before = fixture.github.requests(to: .gitRefs).count
        let end = try await fixture.startGit(words, in: folder).ended()
        try #require(end.status == 0, "\(words): \(end.errors)")
        let users = fixture.github.requests(to: .gitRefs).dropFirst(before).compactMap(\.basicCredentials?.user)
        return users.last ?? "nobody"
    }

    private func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func make(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    @Test("--folder sets the account of all clones, bare ones and submodules in it, and no others", arguments: Git.all)
    func folder(git: Git) async throws {
        let fixture = try await SeveralAccountsTests.fixture(git)
        let (home, url) = (fixture.session.home, fixture.address())
        let folder = home + "/my [w]*r?k"
        for name in [folder, home + "/my wXrok"] { try make(name) }
        try link(home + "/link", to: folder)
        let before = text(home + "/.gitconfig")
        try await fixture.gitspace("switch", fixture.host, "bob", "--folder=~/link/").succeeded()
        #expect(try await user(fixture, "clone", "--quiet", url, folder + "/one") == "bob")
        #expect(try await user(fixture, "clone", "--quiet", url, "link/two", in: home) == "bob")
        _ = try await fixture.git("switch", "--quiet", "--create", "by-bob", in: folder + "/one")
        #expect(try await user(fixture, "push", "--quiet", "origin", "by-bob", in: folder + "/one") == "bob")
        #expect(fixture.github.requests(to: .gitPush).last?.basicCredentials?.user == "bob")
        #expect(try await user(fixture, "clone", "--quiet", "--bare", url, "deep/bare.git", in: folder) == "bob")
        #expect(try await user(fixture, "fetch", "--quiet", in: folder + "/deep/bare.git") == "bob")
        #expect(try await user(fixture, "clone", "--quiet", url, home + "/my wXrok/x") == "monalisa")
        #expect(try await user(fixture, "clone", "--quiet", url, home + "/out") == "monalisa")
        // Outside of a repository, no folder counts.
        #expect(try await user(fixture, "ls-remote", url, in: folder) == "monalisa")

        // Submodules and linked worktrees are where their git directory is.
        #expect(try await user(fixture, "submodule", "--quiet", "add", url, "sub", in: folder + "/one") == "bob")
        #expect(try await user(fixture, "fetch", "--quiet", in: folder + "/one/sub") == "bob")
        #expect(try await user(fixture, "submodule", "--quiet", "add", url, "sub", in: home + "/out") == "monalisa")
        for (repository, worktree, account) in [
            (folder + "/one", home + "/linked", "bob"), (home + "/out", folder + "/linked", "monalisa"),
        ] {
            _ = try await fixture.git("worktree", "add", "--quiet", worktree, in: repository)
            #expect(try await user(fixture, "fetch", "--quiet", "origin", in: worktree) == account)
        }

        // A later default counts everywhere else; the URL outranks all.
        #expect(try await fixture.gitspace("switch", fixture.host, "monalisa").status == 0)
        #expect(try await user(fixture, "fetch", "--quiet", in: folder + "/one") == "bob")
        #expect(try await fixture.gitspace("switch", fixture.host, "--unset").status == 0)
        let shown = try await fixture.gitspace("switch", in: folder + "/one")
        #expect(shown.output.contains("git uses bob in repositories below \(folder), unless the"), "\(shown.output)")
        if try await fixture.passesNames() {
            let named = fixture.address(user: "monalisa")
            #expect(try await user(fixture, "ls-remote", named, in: folder + "/one") == "monalisa")
        }

        #expect(try await fixture.gitspace("switch", fixture.host, "--unset", "--folder", folder).status == 0)
        #expect(text(home + "/.gitconfig") == before)
        #expect(try await user(fixture, "fetch", "--quiet", in: folder + "/one") == "monalisa")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).allSatisfy { !$0.contains("-gitspace-") })
    }

    @Test("--here sets the account of a repository and its worktrees, but not of its submodules", arguments: Git.all)
    func here(git: Git) async throws {
        let fixture = try await SeveralAccountsTests.fixture(git)
        let (home, url) = (fixture.session.home, fixture.address())
        _ = try await user(fixture, "clone", "--quiet", url, home + "/one")
        _ = try await user(fixture, "clone", "--quiet", "--bare", url, home + "/bare.git")
        let one = home + "/one"
        _ = try await user(fixture, "submodule", "--quiet", "add", url, "sub", in: one)
        _ = try await fixture.git("worktree", "add", "--quiet", home + "/linked", in: one)
        try make(one + "/deep")
        let before = text(home + "/.gitconfig")
        // The command works anywhere in the repository, its worktrees and its git directory.
        for place in ["one/deep", "linked", "one/.git", "one/.git/refs"] {
            let end = try await fixture.gitspace("switch", fixture.host, "bob", "--here", in: home + "/" + place)
            #expect(end.status == 0 && end.output.hasSuffix("Saved in \(one)/.git/config.\n"), "\(end)")
            for worktree in ["one", "linked"] {
                #expect(try await user(fixture, "fetch", "--quiet", "origin", in: home + "/" + worktree) == "bob")
            }
            #expect(try await user(fixture, "fetch", "--quiet", in: one + "/sub") == "monalisa")
            try await fixture.gitspace("switch", fixture.host, "--unset", "--here", in: home + "/" + place).succeeded()
            #expect(try await user(fixture, "fetch", "--quiet", "origin", in: one) == "monalisa")
        }
        for (place, file) in [("one/sub", "one/.git/modules/sub/config"), ("bare.git", "bare.git/config")] {
            let end = try await fixture.gitspace("switch", fixture.host, "bob", "--here", in: home + "/" + place)
            #expect(end.status == 0 && end.output.hasSuffix("Saved in \(home)/\(file).\n"), "\(end)")
            #expect(try await user(fixture, "fetch", "--quiet", in: home + "/" + place) == "bob")
        }
        #expect(try await user(fixture, "fetch", "--quiet", "--no-recurse-submodules", in: one) == "monalisa")
        #expect(text(home + "/.gitconfig") == before)
        // The repository's own line outranks that of a folder around it.
        _ = try await fixture.gitspace("switch", fixture.host, "bob", "--folder", home)
        #expect(try await user(fixture, "fetch", "--quiet", "--no-recurse-submodules", in: one) == "bob")
        // A second choice outranks a line below the first one.
        _ = try await fixture.gitspace("switch", fixture.host, "bob", "--here", in: one)
        _ = try await fixture.git("config", "credential.username", "bob", in: one)
        _ = try await fixture.gitspace("switch", fixture.host, "monalisa", "--here", in: one)
        #expect(try await user(fixture, "fetch", "--quiet", "--no-recurse-submodules", in: one) == "monalisa")
    }

    @Test("writes nothing to a repository whose links lead elsewhere", arguments: Git.all)
    func hostile(git: Git) async throws {
        let fixture = try await SeveralAccountsTests.fixture(git)
        let home = fixture.session.home
        for name in ["victim", "include", "configlink", "common"] {
            _ = try await fixture.git("init", "--quiet", "\(home)/\(name)")
        }
        // The repository gets a worktree of its own, which has the attacker's folder.
        _ = try await fixture.git("init", "--quiet", "\(home)/dotfiles")
        _ = try await fixture.git("-C", home + "/dotfiles", "config", "core.worktree", home)
        for name in ["gitlink", "gitfile", "worktree", "wide"] { try make("\(home)/\(name)") }
        let victim = home + "/victim/.git"
        try make(victim + "/worktrees/real")
        for (file, line) in [
            ("commondir", "../.."), ("gitdir", home + "/elsewhere/.git"), ("HEAD", "ref: refs/heads/x"),
        ] { try "\(line)\n".write(to: "\(victim)/worktrees/real/\(file)") }
        try link(home + "/gitlink/.git", to: victim)
        for (name, target) in [
            ("gitfile", victim), ("worktree", victim + "/worktrees/real"), ("wide", home + "/dotfiles/.git"),
        ] { try "gitdir: \(target)\n".write(to: "\(home)/\(name)/.git") }
        try "\(victim)\n".write(to: home + "/common/.git/commondir")
        let configuration = home + "/configlink/.git/config"
        try FileManager.default.removeItem(atPath: configuration)
        try link(configuration, to: victim + "/config")
        let others = [victim + "/config", home + "/dotfiles/.git/config", home + "/.gitconfig"]
        let before = others.map(text)
        for name in ["gitlink", "gitfile", "worktree", "wide", "common", "configlink"] {
            for words in [["bob"], ["--unset"]] {
                let end = try await fixture.gitspace(
                    ["switch", fixture.host] + words + ["--here"], in: home + "/" + name)
                #expect(
                    end.status == 1
                        && end.errors.contains("error: the configuration of this repository is elsewhere, in "),
                    "\(name): \(end)")
            }
            #expect(others.map(text) == before, "\(name)")
        }
        _ = try await fixture.git("-C", home + "/include", "config", "include.path", victim + "/config")
        let end = try await fixture.gitspace("switch", fixture.host, "bob", "--here", in: home + "/include")
        #expect(end.status == 0 && text(home + "/include/.git/config")?.contains("username = bob") == true, "\(end)")
        #expect(others.map(text) == before)
        // git itself does not use this folder.
        let foreign = try await fixture.gitspace(
            "switch", fixture.host, "bob", "--here", in: home + "/victim",
            environment: ["GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"])
        #expect(foreign.status == 1 && foreign.errors.contains("hint:   git rev-parse --git-dir\n"), "\(foreign)")
        #expect(others.map(text) == before)
    }

    @Test("accepts a configuration that is a link or another file, and reports one that cannot be written")
    func files() async throws {
        let fixture = try await SeveralAccountsTests.fixture()
        let home = fixture.session.home
        let file = home + "/.gitconfig"
        try make(home + "/dotfiles")
        try make(home + "/work")
        try FileManager.default.moveItem(atPath: file, toPath: home + "/dotfiles/gitconfig")
        try link(file, to: "dotfiles/gitconfig")
        #expect(try await fixture.gitspace("switch", fixture.host, "bob", "--folder", "work", in: home).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == "dotfiles/gitconfig")
        #expect(try await user(fixture, "clone", "--quiet", fixture.address(), home + "/work/one") == "bob")
        #expect(try await fixture.gitspace("unconfigure").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).allSatisfy { !$0.contains("-gitspace-") })
        #expect(try await user(fixture, "fetch", "--quiet", in: home + "/work/one") == "monalisa")

        let other = home + "/other config"
        try FileManager.default.copyItem(atPath: home + "/dotfiles/gitconfig", toPath: other)
        let before = text(file)
        let environment = ["GIT_CONFIG_GLOBAL": other]
        _ = try await fixture.gitspace(
            "switch", fixture.host, "bob", "--folder", "work", in: home, environment: environment)
        let fetch = try await fixture.git(
            "config", fixture.setting("username"), in: home + "/work/one", environment: environment)
        #expect(fetch.output == "bob\n" && text(file) == before, "\(fetch)")

        let system = ["GIT_CONFIG_SYSTEM": other, "GIT_CONFIG_NOSYSTEM": "0", "GIT_CONFIG_GLOBAL": "/dev/null"]
        for (words, environment, expected) in [
            (["--folder", "work"], system, "/dev/null"), (["--folder", "nothing"], [:], "there is no folder nothing"),
            (["--folder", ".gitconfig"], [:], "cannot use the folder .gitconfig: Not a directory"),
            (["--here"], [:], "the current folder is in no git repository, or git does not use it"),
        ] {
            let end = try await fixture.gitspace(
                ["switch", fixture.host, "bob"] + words, in: home, environment: environment)
            #expect(end.status == 1 && end.errors.contains(expected), "\(end)")
        }
        try "".write(to: home + "/dotfiles/gitconfig.lock")
        let locked = try await fixture.gitspace("switch", fixture.host, "bob", "--folder", "work", in: home)
        #expect(locked.status == 1 && locked.errors.contains("another program is writing"), "\(locked)")
        try FileManager.default.removeItem(atPath: home + "/dotfiles/gitconfig.lock")
        chmod(home + "/dotfiles", 0o500)
        defer { chmod(home + "/dotfiles", 0o700) }
        let forbidden = try await fixture.start(
            ConfigureTests.humble + [BuiltFiles.helper, "switch", fixture.host, "bob", "--folder", "work"], in: home
        ).ended()
        let words = "no permission to write to the folder of git's configuration, \(home)/dotfiles\n"
        #expect(forbidden.status == 1 && forbidden.errors.contains(words), "\(forbidden)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).allSatisfy { !$0.hasPrefix(".gitconfig-") })
        #expect(text(file) == before)
    }
}
