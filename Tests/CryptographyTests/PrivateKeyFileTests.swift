import CredentialCore
import Cryptography
import Foundation
import Providers
import System
import Testing

@Suite("Files of private keys")
struct PrivateKeyFileTests {
    /// A folder with a key in it.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString)")
        var key: String { url.appending(path: "app.pem").path }

        init(permissions: mode_t = 0o600) throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try "key".write(toFile: key, atomically: true, encoding: .utf8)
            chmod(key, permissions)
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private func contents(_ name: String, credentials: String? = nil) throws(SigningKeyError) -> String {
        try PrivateKeyFile.contents(of: name, credentials: credentials).reveal { String(decoding: $0, as: UTF8.self) }
    }

    private static func replaceable(_ folder: String) -> SigningKeyError {
        .folderOfOthers(DisplayText(untrusted: folder.utf8))
    }

    @Test("reads a file that only its owner may read", arguments: [0o600, 0o400, 0o700] as [mode_t])
    func own(permissions: mode_t) throws {
        let folder = try Folder(permissions: permissions)
        #expect(try contents(folder.key) == "key")
    }

    @Test(
        "refuses a file that others may read or change",
        arguments: [0o644, 0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666, 0o777] as [mode_t])
    func others(permissions: mode_t) throws {
        let folder = try Folder(permissions: permissions)
        #expect(throws: SigningKeyError.accessibleToOthers) { try contents(folder.key) }
    }

    @Test("refuses another user's file", .enabled(if: geteuid() == 0, "only root can give a file away"))
    func foreign() throws {
        let folder = try Folder()
        chown(folder.key, 1_234, 1_234)
        #expect(throws: SigningKeyError.foreignOwner) { try contents(folder.key) }
    }

    /// The modes that give others rights; a group with the person as its only member is not counted.
    private static let ofOthers: [mode_t] =
        [0o707, 0o702, 0o1777] + (PrivateGroup.isPrivate(getegid(), of: geteuid()) ? [] : [0o770, 0o720])

    @Test("refuses a file in a folder where others could replace it, even through a link", arguments: Self.ofOthers)
    func folderOfOthers(permissions: mode_t) throws {
        let (folder, other) = (try Folder(), try Folder())
        let link = other.url.appending(path: "link").path
        symlink(folder.url.path, link)
        #expect(try contents(link + "/app.pem") == "key")
        chmod(folder.url.path, permissions)
        #expect(throws: Self.replaceable(folder.url.path)) { try contents(folder.key) }
        #expect(throws: Self.replaceable(link)) { try contents(link + "/app.pem") }
    }

    @Test("refuses a file in another user's folder", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foreignFolder() throws {
        let folder = try Folder()
        chown(folder.url.path, 1_234, 1_234)
        #expect(throws: Self.replaceable(folder.url.path)) { try contents(folder.key) }
    }

    @Test("refuses a link, a folder, a pipe (without waiting for it) and a missing file")
    func otherThings() throws {
        let folder = try Folder()
        let link = folder.url.appending(path: "link").path
        symlink(folder.key, link)
        #expect(throws: SigningKeyError.symbolicLink) { try contents(link) }
        let pipe = folder.url.appending(path: "pipe").path
        mkfifo(pipe, 0o600)
        #expect(throws: SigningKeyError.notAFile) { try contents(pipe) }
        #expect(throws: SigningKeyError.notAFile) { try contents(folder.url.path + "/.") }
        #expect(throws: SigningKeyError.absent) { try contents(folder.url.path + "/") }
        #expect(throws: SigningKeyError.absent) { try contents(folder.key + "x") }
        #expect(throws: SigningKeyError.absent) { try contents(folder.key + "/x") }
        try Data(repeating: 0x61, count: 65_537).write(to: URL(filePath: folder.key))
        chmod(folder.key, 0o600)
        #expect(throws: SigningKeyError.notAFile) { try contents(folder.key) }
    }

    @Test(
        "refuses a relative path, which could lead into a repository",
        arguments: ["./app.pem", "keys/app.pem", "../app.pem", "~root/a", "~/a"])
    func relative(name: String) { #expect(throws: SigningKeyError.relativePath) { try contents(name) } }

    @Test("accepts a systemd credential by its name; its group bits are an access control list's mask")
    func credential() throws {
        for permissions in [0o440, 0o400, 0o640] as [mode_t] {
            let folder = try Folder(permissions: permissions)
            #expect(try contents("app.pem", credentials: folder.url.path) == "key")
        }
        let open = try Folder(permissions: 0o444)
        for permissions in [0o444, 0o460, 0o420, 0o410] as [mode_t] {
            chmod(open.key, permissions)
            #expect(throws: SigningKeyError.accessibleToOthers) { try contents("app.pem", credentials: open.url.path) }
        }
        chmod(open.key, 0o400)
        chmod(open.url.path, 0o707)
        #expect(throws: Self.replaceable(open.url.path)) { try contents("app.pem", credentials: open.url.path) }
        chmod(open.url.path, 0o550)
        #expect(try contents("app.pem", credentials: open.url.path) == "key")
        for name in ["", ".", "..", "other.pem"] {
            #expect(throws: SigningKeyError.absent) { try contents(name, credentials: open.url.path) }
        }
        for folder in [nil, "", "relative"] {
            #expect(throws: SigningKeyError.noCredentialsDirectory) { try contents("app.pem", credentials: folder) }
        }
    }
}
