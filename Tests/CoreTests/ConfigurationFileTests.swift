import CredentialCore
import Foundation
import Glibc
import System
import Testing

/// Each test runs in its own process, because all threads share the umask.
@Suite("Edits of a file of git's configuration")
struct ConfigurationFileTests {
    private static let text = Array("[x]\n\ty = z\n".utf8)

    @Test(
        "hides the lock at once and keeps the permissions; removes it and keeps the text if git could not read the new one",
        arguments: [0o440, 0o600, 0o640, 0o644])
    func edited(permissions: mode_t) async {
        await #expect(processExitsWith: .success) { [permissions = permissions as mode_t] in
            let home = try GitHome()
            umask(0)
            chmod(home.configuration, permissions)
            #expect(throws: ConfigurationFileError.unreadable) {
                try GitConfigurationFiles().edit(.file(home.configuration)) { _ in .write(Array("[x\n".utf8)) }
            }
            #expect(try home.text() == "[http]\nproxy = http://p\n")
            #expect(access(home.configuration + ".lock", F_OK) == -1)
            try GitConfigurationFiles().edit(.file(home.configuration)) { _ in
                #expect((try? home.permissions(of: home.configuration + ".lock")) == 0o600)
                return .write(Self.text)
            }
            #expect(try Array(home.text().utf8) == Self.text)
            #expect(try home.permissions() == permissions)
        }
    }

    @Test("creates a file with the umask's permissions", arguments: [0o022, 0o027, 0o077])
    func new(mask: mode_t) async {
        await #expect(processExitsWith: .success) { [mask = mask as mode_t] in
            let home = try GitHome()
            unlink(home.configuration)
            umask(mask)
            try GitConfigurationFiles().edit(.file(home.configuration)) { _ in .write(Self.text) }
            #expect(try home.permissions() == 0o666 & ~mask)
            #expect(umask(0) == mask)
        }
    }

    @Test("git creates its own lock for us alone if the file exists", arguments: [true, false])
    func byGit(isThere: Bool) async {
        await #expect(processExitsWith: .success) { [isThere = isThere as Bool] in
            let home = try GitHome()
            umask(0o027)
            if isThere { chmod(home.configuration, 0o604) } else { unlink(home.configuration) }
            let git = try #require(ProgramSearch.find("git"))
            try home.replaceGit(by: "umask >>'\(home.folder)/masks'\nexec \(git) \"$@\"")
            try GitConfigurationFiles().set("x.y", to: "z", in: .file(home.configuration))
            let masks = try String(contentsOfFile: home.folder + "/masks", encoding: .utf8)
            #expect(masks == (isThere ? "0077\n" : "0027\n"))
            #expect(try home.permissions() == (isThere ? 0o604 : 0o640))
            #expect(umask(0) == 0o027)
        }
    }

    @Test("finds the file behind a link by the bytes of the paths", arguments: ["config", "\u{301}config"])
    func link(name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let home = try GitHome()
            umask(0o022)
            let link = home.folder + "/links/" + name
            #expect(mkdir(home.folder + "/links", 0o755) == 0 && symlink("../.gitconfig", link) == 0)
            try GitConfigurationFiles().edit(.file(link)) { _ in .write(Self.text) }
            #expect(try Array(home.text().utf8) == Self.text)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../.gitconfig")
        }
    }

    @Test("names the system's reason if git cannot write its file", arguments: [true, false])
    func noSpace(isThere: Bool) async {
        await #expect(processExitsWith: .success) { [isThere = isThere as Bool] in
            let home = try GitHome()
            if !isThere { unlink(home.configuration) }
            signal(SIGXFSZ, SIG_IGN)
            var none = rlimit()
            getrlimit(Int32(RLIMIT_FSIZE.rawValue), &none)
            none.rlim_cur = 0
            setrlimit(Int32(RLIMIT_FSIZE.rawValue), &none)
            let reason = String(cString: strerror(EFBIG))
            #expect(throws: ConfigurationFileError.failed(home.configuration, reason: reason)) {
                try GitConfigurationFiles().set("credential.https://h.example.username", to: "zoe", in: .global)
            }
            none.rlim_cur = none.rlim_max
            setrlimit(Int32(RLIMIT_FSIZE.rawValue), &none)
        }
    }

    @Test(
        "keeps owner, group and mode if root edits another user's file; a group that cannot be kept leaves no rights",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func otherUsers() async {
        await #expect(processExitsWith: .success) {
            let home = try GitHome()
            umask(0o022)
            setenv("GIT_CONFIG_GLOBAL", home.configuration, 1)
            #expect(chown(home.configuration, 65_534, 12_345) == 0)
            chmod(home.configuration, 0o640)
            try GitConfigurationFiles().edit(.global) { _ in .write(Array("[http]\nproxy = http://q\n".utf8)) }
            #expect(try home.text().contains("http://q"))
            let status = try home.status()
            #expect([status.st_uid, status.st_gid, status.st_mode & 0o7777] == [65_534, 12_345, 0o640])
            // The other user may have no way to the folder of the tests, and may not read root's repository.
            try FileManager.default.removeItem(atPath: home.repository)
            #expect(chown(home.folder, 65_534, 12_345) == 0)
            #expect(chdir(home.folder) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
            try GitConfigurationFiles().edit(.file(home.configuration)) { _ in .write(Self.text) }
            #expect(try home.status().st_gid == 65_534 && home.permissions() == 0o600)
        }
    }

    @Test("follows up to five links to the file as git does, and fails at the sixth", arguments: [5, 6])
    func links(count: Int) async {
        await #expect(processExitsWith: .success) { [count = count as Int] in
            let home = try GitHome()
            let names = [home.configuration] + (1...count).map { "\(home.folder)/link\($0)" }
            for (file, link) in zip(names, names.dropFirst()) {
                let target = link.hasSuffix("2") ? file : String(file.dropFirst(home.folder.count + 1))
                #expect(symlink(target, link) == 0)
            }
            setenv("GIT_CONFIG_GLOBAL", names[count], 1)
            func edit() throws(ConfigurationFileError) {
                try GitConfigurationFiles().edit(.global) { _ in .write(Self.text) }
            }
            if count == 5 {
                try edit()
            } else {
                let reason = String(cString: strerror(ELOOP))
                #expect(throws: ConfigurationFileError.failed(names[count], reason: reason)) { try edit() }
            }
            #expect(try home.text().contains("[x]") == (count == 5))
            for link in names.dropFirst() {
                #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil, "\(link) is a file")
            }
        }
    }
}

/// A home folder with a repository, in the process of a test, whose end removes it.
struct GitHome {
    /// Not named after the process: an earlier one with its ID may have left a folder of another user.
    private static let folder = FileManager.default.temporaryDirectory.path + "/configuration-\(UUID().uuidString)"
    let folder = Self.folder
    private let path = Environment["PATH"] ?? ""
    var configuration: String { folder + "/.gitconfig" }
    var repository: String { folder + "/repository" }

    init() throws {
        atexit { try? FileManager.default.removeItem(atPath: Self.folder) }
        try FileManager.default.createDirectory(atPath: repository, withIntermediateDirectories: true)
        // The reason of an error or a trap, which Swift Testing reports as SIGILL alone; test.sh prints this file.
        dup2(open(folder + "/errors", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600), STDERR_FILENO)
        for (name, value) in ["HOME": folder, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": folder] {
            setenv(name, value, 1)
        }
        for name in ["XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_DIR"] { unsetenv(name) }
        try write("[http]\nproxy = http://p\n")
        chdir(repository)
        git("init", "--quiet")
    }

    func write(_ text: String, to path: String? = nil) throws {
        try Data(text.utf8).write(to: URL(filePath: path ?? configuration))
    }

    /// Appends to the repository's own configuration.
    func addToRepository(_ text: String) throws {
        let path = repository + "/.git/config"
        try write(String(contentsOfFile: path, encoding: .utf8) + text, to: path)
    }

    /// Puts a script in front of git.
    func replaceGit(by script: String) throws {
        try write("#!/bin/sh\n\(script)\n", to: folder + "/git")
        chmod(folder + "/git", 0o755)
        setenv("PATH", "\(folder):\(path)", 1)
    }

    /// Adds a setting by git's variables.
    func setVersion() {
        for (name, value) in ["COUNT": "1", "KEY_0": "http.version", "VALUE_0": "HTTP/2"] {
            setenv("GIT_CONFIG_\(name)", value, 1)
        }
    }

    func git(_ arguments: String...) { #expect(ChildProcess.output(of: ["git"] + arguments, within: 60_000) != nil) }

    func text() throws -> String { try String(contentsOfFile: configuration, encoding: .utf8) }

    func status(of path: String? = nil) throws -> stat {
        var status = stat()
        try #require(stat(path ?? configuration, &status) == 0)
        return status
    }

    func permissions(of path: String? = nil) throws -> mode_t { try status(of: path).st_mode & 0o7777 }
}
