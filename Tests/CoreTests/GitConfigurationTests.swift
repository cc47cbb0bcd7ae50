import CredentialCore
import Foundation
import Glibc
import System
import Testing

/// Each test runs in its own process, because git's files depend on the environment and the current folder.
@Suite("git's configuration as git returns it", .serialized)
struct GitConfigurationTests {
    private static let proxy = [ConfigurationEntry(section: "http", key: "proxy", value: "http://p")]

    @Test("reads the person's settings in spite of GIT_CONFIG, and an empty list without an error")
    func usual() async {
        await #expect(processExitsWith: .success) {
            let home = try GitHome()
            #expect(try GitConfiguration.read() == Self.proxy)
            try home.write("[http]\nproxy = http://evil\n", to: home.folder + "/other")
            setenv("GIT_CONFIG", home.folder + "/other", 1)
            Environment.harden()
            #expect(try GitConfiguration.read() == Self.proxy)
            #expect(try GitConfigurationFiles().entries().filter(\.isTrusted).map(\.entry) == Self.proxy)
            try home.write("")
            #expect(try GitConfiguration.read().isEmpty)
        }
    }

    @Test(
        "throws an error for a file that git cannot read",
        arguments: ["directory", "syntax", "link to itself", "include"])
    func unreadable(kind: String) async {
        await #expect(processExitsWith: .success) { [kind] in
            let home = try GitHome()
            // If another source has a setting, git is likelier to report success.
            home.setVersion()
            switch kind {
            case "syntax": try home.write("[http\nproxy = http://p\n")
            case "include": try home.write("[http]\nproxy = http://p\n[include]\npath = \(home.folder)\n")
            default:
                try FileManager.default.removeItem(atPath: home.configuration)
                let isFolder = kind == "directory"
                #expect((isFolder ? mkdir(home.configuration, 0o755) : symlink(".gitconfig", home.configuration)) == 0)
            }
            #expect(throws: ConfigurationError.failed) { try GitConfiguration.read() }
            let once = GitConfiguration()
            #expect(throws: ConfigurationError.failed) { try once.entries() }
            try? FileManager.default.removeItem(atPath: home.configuration)
            // Each process reads the configuration once.
            #expect(throws: ConfigurationError.failed) { try once.entries() }
        }
    }

    @Test("names a file of the person's that only others may read, which git silently ignores")
    func notPermitted() async {
        await #expect(processExitsWith: .success) {
            let home = try GitHome()
            let other = home.folder + "/other"
            try FileManager.default.createDirectory(atPath: other + "/git", withIntermediateDirectories: true)
            try home.write("[http]\nproxy = http://q\n", to: other + "/git/config")
            for path in [home.configuration, other + "/git/config"] { chmod(path, 0) }
            // root may read every file, so the process becomes nobody.
            if geteuid() == 0 {
                let give = ["chown", "--recursive", "65534:65534", home.folder]
                #expect(ChildProcess.output(of: give, within: 60_000) != nil && setuid(65_534) == 0)
            }
            #expect(throws: ConfigurationError.notPermitted(home.configuration)) { try GitConfiguration.read() }
            setenv("XDG_CONFIG_HOME", other, 1)
            #expect(throws: ConfigurationError.notPermitted(other + "/git/config")) { try GitConfiguration.read() }
            setenv("GIT_CONFIG_GLOBAL", home.configuration, 1)
            #expect(throws: ConfigurationError.notPermitted(home.configuration)) { try GitConfiguration.read() }
            setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1)
            chdir("/")
            #expect(try GitConfiguration.read().isEmpty)
        }
    }

    @Test("reads all settings beside a repository's file of any usual size", arguments: ["other", "credential"])
    func large(section: String) async {
        await #expect(processExitsWith: .success) { [section] in
            let home = try GitHome()
            let line = "interactive = \(String(repeating: "x", count: 100))\n"
            try home.addToRepository("[\(section)]\n" + String(repeating: line, count: 6 << 20 / line.utf8.count))
            #expect(try GitConfiguration.read() == Self.proxy)
            #expect(try GitConfigurationFiles().entries().filter(\.isTrusted).map(\.entry) == Self.proxy)
        }
    }

    @Test("fails at a repository's enormous file, and does not report an empty configuration")
    func tooLarge() async {
        await #expect(processExitsWith: .success) {
            let home = try GitHome()
            try home.addToRepository("[x]\ny = \(String(repeating: "x", count: 1 << 20))\n")
            #expect(throws: ConfigurationError.tooLarge(mebibytes: 1)) {
                try GitConfiguration.read(within: 60, atMost: 1)
            }
            #expect(try GitConfiguration.read(within: 60, atMost: 2) == Self.proxy)
            #expect(GitConfigurationList.mebibytes == 64 && GitConfigurationList.seconds == 5)
        }
    }

    @Test("throws an error if git is missing, fails or hangs")
    func noAnswer() async {
        await #expect(processExitsWith: .success) {
            let home = try GitHome()
            setenv("PATH", home.folder, 1)
            #expect(throws: ConfigurationError.noGit) { try GitConfiguration.read() }
            for (script, error) in [
                ("printf 'global\\0http.proxy\\n'; exit 1", .failed), ("printf 'global\\0http.pro'", .failed),
                ("exec sleep 600", .timedOut(seconds: 1)),
            ] as [(String, ConfigurationError)] {
                try home.replaceGit(by: script)
                #expect(throws: error) { try GitConfiguration.read(within: script.hasPrefix("exec") ? 1 : 60) }
            }
        }
    }

    @Test(
        "takes a repository's own lines as such, however they are included",
        arguments: ["include", "worktree", "bare", "GIT_DIR", "submodule"])
    func repository(way: String) async {
        await #expect(processExitsWith: .success) { [way] in
            let home = try GitHome()
            let trap = "[credential]\nprovider = github\ninteractive = true\n[http]\nproxy = http://evil\n"
            switch way {
            case "include":
                try home.write(trap, to: home.repository + "/.git/trap")
                try home.addToRepository("[include]\npath = trap\n")
            case "worktree":
                try home.addToRepository("[extensions]\nworktreeConfig = true\n")
                try home.write(trap, to: home.repository + "/.git/config.worktree")
            case "GIT_DIR":
                try home.addToRepository(trap)
                chdir("/")
                setenv("GIT_DIR", home.repository + "/.git", 1)
            case "submodule":
                #expect(mkdir(home.repository + "/.git/modules", 0o755) == 0)
                home.git("init", "--quiet", "--separate-git-dir=\(home.repository)/.git/modules/sub", "sub")
                try home.write(trap, to: home.repository + "/.git/modules/sub/config")
                chdir("sub")
            default:
                // A file that a repository brings in its tree.
                home.git("init", "--quiet", "--bare", "tree")
                try home.write("[core]\nbare = true\n" + trap, to: home.repository + "/tree/config")
                chdir("tree")
            }
            let listed = ChildProcess.output(of: ["git", "config", "--list"], within: 60_000)
            #expect(String(decoding: listed ?? [], as: UTF8.self).contains("http://evil"))
            #expect(try GitConfiguration.read() == Self.proxy)
        }
    }

    @Test("finds the system's file in git's own place, wherever that was built in, with git alone on the PATH")
    func system() async {
        await #expect(processExitsWith: .success) {
            let home = try GitHome()
            unsetenv("GIT_CONFIG_SYSTEM")
            let git = try #require(ProgramSearch.find("git"))
            let file = home.folder + "/etc-gitconfig"
            try home.replaceGit(by: "GIT_CONFIG_SYSTEM='\(file)' exec \(git) \"$@\"")
            #expect(try GitConfigurationFiles().path(of: .system) == file)
            setenv("PATH", home.folder, 1)
            #expect(try GitConfigurationFiles().path(of: .system) == file)
            try home.replaceGit(by: "exit 1")
            #expect(try GitConfigurationFiles().path(of: .system) == "/etc/gitconfig")
            setenv("GIT_CONFIG_SYSTEM", home.configuration, 1)
            #expect(try GitConfigurationFiles().path(of: .system) == home.configuration)
        }
    }

    @Test("follows changes of git's files, and otherwise asks git only once")
    func changes() async {
        await #expect(processExitsWith: .success) {
            let home = try GitHome()
            let git = GitConfiguration(followsChanges: true)
            let files = GitConfigurationFiles(git)
            #expect(try git.entries() == Self.proxy)
            // A variable shows whether git was asked again.
            home.setVersion()
            #expect(try git.entries() == Self.proxy)
            #expect(try files.entries().filter(\.isTrusted).map(\.entry) == Self.proxy)
            #expect(try files.entries(of: .global) == Self.proxy)
            try home.write("[http]\nproxy = http://another\n")
            #expect(try git.entries().map(\.value) == ["http://another", "HTTP/2"])
            try FileManager.default.removeItem(atPath: home.configuration)
            #expect(try git.entries().map(\.value) == ["HTTP/2"])
            try files.set("http.proxy", to: "http://q", in: .global)
            #expect(try git.entries().map(\.value) == ["http://q", "HTTP/2"])
            try home.addToRepository("[credential]\ninteractive = never\n")
            #expect(try git.entries().contains { $0.key == "interactive" })
        }
    }

    @Test(
        "finds the repository's address as git does, by its lines or by git itself",
        arguments: [
            "", "[remote \"origin\"]\nurl = https://h.example/a\n",
            "[remote \"origin\"]\nurl = https://h.example/a\n[remote \"other\"]\nurl = https://i.example/b\n",
            "[remote \"other\"]\nurl = https://i.example/b\n[remote \"origin\"]\nurl = https://h.example/a\n",
            "[remote \"other\"]\nurl = https://i.example/b\n",
            "[remote \"origin\"]\nurl = x:a\n[url \"https://h.example/\"]\ninsteadOf = x:\n",
            "[remote \"origin\"]\nurl = https://h.example/a\n[branch \"main\"]\nremote = other\nmerge = refs/heads/main\n"
                + "[remote \"other\"]\nurl = https://i.example/b\n",
            "[remote \"origin\"]\nurl = https://h.example/a\nurl = https://h.example/c\n",
        ])
    func remote(text: String) async {
        await #expect(processExitsWith: .success) { [text = text as String] in
            let home = try GitHome()
            home.git("symbolic-ref", "HEAD", "refs/heads/main")
            try home.addToRepository(text)
            let lines = try GitConfigurationFiles().entries()
            #expect(CurrentRemote.address(among: lines) == CurrentRemote.address(among: nil))
            chdir("/")
            #expect(CurrentRemote.address(among: try GitConfigurationFiles().entries()) == nil)
        }
    }

    @Test("reads a path in a setting as git does")
    func paths() async {
        await #expect(processExitsWith: .success) {
            let home = try GitHome()
            try home.addToRepository("[a]\npath = /of/the/repository\n")
            let prefix = ChildProcess.output(
                of: ["git", "-c", "a.b=%(prefix)/x", "config", "--type=path", "a.b"], within: 60_000)
            let git = String(decoding: try #require(prefix).dropLast(), as: UTF8.self)
            #expect(git.hasPrefix("/"))
            let paths = [
                ("~/a b", home.folder + "/a b"), ("~root/x", "/root/x"), ("~no-one-is-x/x", "~no-one-is-x/x"),
                ("%(prefix)/x", git), (":(optional)/none", ""), (":(optional)~/none", ""),
                (":(optional)~/repository", home.repository), (":(optional)key", ""), (":(optional).git", ".git"),
                ("/x", "/x"), ("x", "x"),
            ]
            for (value, path) in paths {
                let keys = ["sslCAInfo", "sslCAPath", "sslCert", "sslKey", "proxy"]
                try home.write(
                    "[http]\n" + keys.map { "\($0) = \"\(value)\"\n" }.joined() + "[credential \"https://h\"]\n"
                        + ["githubAppKey", "oauthClientKey"].map { "\($0) = \"\(value)\"\n" }.joined())
                let entries = try GitConfiguration().entries()
                #expect(entries.count == keys.count + 2)
                for entry in entries { #expect(entry.value == (entry.key == "proxy" ? value : path)) }
            }
        }
    }
}
