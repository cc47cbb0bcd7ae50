import CredentialCore
import Foundation
import Glibc
import System
import Testing

/// Each test runs in its own process, because all threads share the umask.
@Suite("Edits of a file of git's configuration")
struct ConfigurationFileTests {
    /// A temporary folder, in the process of a test.
    private struct Folder {
        let path = FileManager.default.temporaryDirectory.path + "/edited-\(getpid())"
        var file: String { path + "/config" }

        init(umask mask: mode_t) throws {
            #expect(mkdir(path, 0o755) == 0)
            umask(mask)
        }

        func write(_ text: String, _ permissions: mode_t) throws {
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(chmod(file, permissions) == 0)
        }

        func status(of path: String) throws -> stat {
            var status = stat()
            try #require(stat(path, &status) == 0)
            return status
        }

        func permissions(of path: String) throws -> mode_t { try status(of: path).st_mode & 0o7777 }

        func remove() { try? FileManager.default.removeItem(atPath: path) }
    }

    private static let text = Array("[x]\n\ty = z\n".utf8)

    @Test("hides the lock file at once, and keeps the file's permissions", arguments: [0o600, 0o640, 0o644])
    func edited(permissions: mode_t) async {
        await #expect(processExitsWith: .success) { [permissions = permissions as mode_t] in
            let folder = try Folder(umask: 0)
            defer { folder.remove() }
            try folder.write("[user]\n", permissions)
            try GitConfigurationFiles().edit(.file(folder.file)) { _ in
                #expect((try? folder.permissions(of: folder.file + ".lock")) == 0o600)
                return .write(Self.text)
            }
            #expect(try Array(Data(contentsOf: URL(filePath: folder.file))) == Self.text)
            #expect(try folder.permissions(of: folder.file) == permissions)
        }
    }

    @Test("creates a file with the umask's permissions", arguments: [0o022, 0o027, 0o077])
    func new(mask: mode_t) async {
        await #expect(processExitsWith: .success) { [mask = mask as mode_t] in
            let folder = try Folder(umask: mask)
            defer { folder.remove() }
            try GitConfigurationFiles().edit(.file(folder.file)) { _ in .write(Self.text) }
            #expect(try folder.permissions(of: folder.file) == 0o666 & ~mask)
            #expect(umask(0) == mask)
        }
    }

    @Test("keeps the file and removes the lock if git could not read the new text")
    func unreadable() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(umask: 0o022)
            defer { folder.remove() }
            try folder.write("[user]\n", 0o600)
            #expect(throws: ConfigurationFileError.unreadable) {
                try GitConfigurationFiles().edit(.file(folder.file)) { _ in .write(Array("[x\n".utf8)) }
            }
            #expect(try String(contentsOfFile: folder.file, encoding: .utf8) == "[user]\n")
            #expect(access(folder.file + ".lock", F_OK) == -1)
        }
    }

    @Test("git creates its own lock for us alone if the file exists", arguments: [true, false])
    func byGit(isThere: Bool) async {
        await #expect(processExitsWith: .success) { [isThere = isThere as Bool] in
            let folder = try Folder(umask: 0o027)
            defer { folder.remove() }
            if isThere { try folder.write("[user]\n", 0o604) }
            let git = try #require(ProgramSearch.find("git"))
            let script = "#!/bin/sh\numask >>'\(folder.path)/masks'\nexec \(git) \"$@\"\n"
            try Data(script.utf8).write(to: URL(filePath: folder.path + "/git"))
            chmod(folder.path + "/git", 0o755)
            setenv("PATH", "\(folder.path):\(Environment["PATH"] ?? "")", 1)
            try GitConfigurationFiles().set("x.y", to: "z", in: .file(folder.file))
            let masks = try String(contentsOfFile: folder.path + "/masks", encoding: .utf8)
            #expect(masks == (isThere ? "0077\n" : "0027\n"))
            #expect(try folder.permissions(of: folder.file) == (isThere ? 0o604 : 0o640))
            #expect(umask(0) == 0o027)
        }
    }

    @Test("finds the file behind a link by the bytes of the paths", arguments: ["config", "\u{301}config"])
    func link(name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let folder = try Folder(umask: 0o022)
            defer { folder.remove() }
            let link = folder.path + "/links/" + name
            #expect(mkdir(folder.path + "/links", 0o755) == 0 && symlink("../config", link) == 0)
            try GitConfigurationFiles().edit(.file(link)) { _ in .write(Self.text) }
            #expect(try Array(Data(contentsOf: URL(filePath: folder.file))) == Self.text)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../config")
        }
    }

    @Test(
        "does not change a group that cannot be kept to another one",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func foreignGroup() async {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(umask: 0o022)
            defer { folder.remove() }
            try folder.write("[user]\n", 0o640)
            for path in [folder.path, folder.file] { #expect(chown(path, 65_534, 12_345) == 0) }
            // The other user may have no way to the folder of the tests.
            #expect(chdir(folder.path) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
            try GitConfigurationFiles().edit(.file(folder.file)) { _ in .write(Self.text) }
            #expect(try folder.status(of: folder.file).st_gid == 65_534)
            #expect(try folder.permissions(of: folder.file) == 0o600)
        }
    }
}
