import CredentialCore
import Cryptography
import Foundation
import Providers
import System
import Testing

@Suite("Private keys")
struct PrivateKeyTests {
    @Test(
        "reads every file format that tools write",
        arguments: [
            ("rsa", "RS256"), ("rsa-pkcs1", "RS256"), ("ec", "ES256"), ("ec-sec1", "ES256"),
            ("ec-with-parameters", "ES256"),
        ])
    func forms(name: String, algorithm: String) throws {
        #expect(try TestKeys.privateKey(name).algorithm.rawValue == algorithm)
    }

    @Test(
        "names the kind of a key that cannot sign here",
        arguments: [
            ("rsa-encrypted", .encrypted), ("rsa-encrypted-pkcs1", .encrypted), ("rsa-public", .publicKey),
            ("ec-public", .publicKey), ("rsa-1024", .unsupportedSize(bits: 1_024)),
            ("rsa-2047", .unsupportedSize(bits: 2_047)), ("rsa-pss", .unsupportedKind("RSA-PSS")),
            ("ec-384", .unsupportedKind("EC")), ("ec-secp256k1", .unsupportedKind("EC")),
            ("ec-explicit", .unsupportedKind("EC")), ("ed25519", .unsupportedKind("ED25519")),
            ("certificate", .malformed),
        ] as [(String, SigningKeyError)])
    func refused(name: String, reason: SigningKeyError) throws {
        #expect(throws: reason) { try TestKeys.privateKey(name) }
    }

    @Test("reads a key beside a certificate, a comment and foreign line ends")
    func company() throws {
        let texts: [[UInt8]] = [
            try TestKeys.file("certificate") + TestKeys.file("ec"),
            try TestKeys.file("ec") + TestKeys.file("ec-public"),
            try Array("# the key of the app\n\n".utf8) + TestKeys.file("ec") + Array("# end\n".utf8),
            try TestKeys.file("ec").flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] },
        ]
        for text in texts { #expect(throws: Never.self) { try PrivateKey(pem: Secret(text)) } }
    }

    @Test("refuses a file with two keys, since the choice would be ambiguous")
    func several() throws {
        let keys = try TestKeys.file("ec") + TestKeys.file("rsa")
        #expect(throws: SigningKeyError.severalKeys) { try PrivateKey(pem: Secret(keys)) }
    }

    @Test(
        "refuses a file without a key",
        arguments: [
            "", "\n", "\0", "not a key\n", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\n%%%%\n-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\nMIGH\n",
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n",
        ])
    func noKeys(text: String) { #expect(throws: SigningKeyError.malformed) { try PrivateKey(pem: Secret(text.utf8)) } }

    @Test("names OpenSSH's own format, so that the person can convert it")
    func openSSH() {
        let text = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"
        #expect(throws: SigningKeyError.unsupportedKind("OPENSSH PRIVATE KEY")) {
            try PrivateKey(pem: Secret(text.utf8))
        }
    }

    /// Changes each byte of a key's base64 in turn: the key is either refused, or its signature verifies.
    @Test("refuses a damaged key unless its signatures still verify", arguments: ["ec", "ec-sec1"])
    func damaged(name: String) throws {
        let file = try TestKeys.file(name)
        let start = try #require(file.firstIndex(of: 0x0a)) + 1
        var refused = 0
        for index in start..<(start + 150) where file[index] != 0x0a {
            var damaged = file
            damaged[index] = damaged[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            do { _ = try PrivateKey(pem: Secret(damaged)) } catch { refused += 1 }
        }
        #expect(refused > 100)
    }

    @Test("refuses a key with another key's public half")
    func mismatched() throws {
        // Both keys in SEC 1 (RFC 5915, 3): the private number first, the public point last.
        for name in ["ec", "ec-other"] { try TestKeys.openssl("ec -in \(name).pem -outform DER -out \(name).der") }
        let one = try Data(contentsOf: TestKeys.directory.appending(path: "ec.der"))
        let other = try Data(contentsOf: TestKeys.directory.appending(path: "ec-other.der"))
        let mixed = (one.dropLast(64) + other.suffix(64)).base64EncodedString(options: .lineLength64Characters)
        let text = "-----BEGIN EC PRIVATE KEY-----\n\(mixed)\n-----END EC PRIVATE KEY-----\n"
        #expect(throws: SigningKeyError.malformed) { try PrivateKey(pem: Secret(text.utf8)) }
    }

    @Test("refuses an encrypted key with a wrong label without asking for a passphrase")
    func falseName() throws {
        let text = String(decoding: try TestKeys.file("rsa-encrypted"), as: UTF8.self)
            .replacing("ENCRYPTED PRIVATE", with: "PRIVATE")
        #expect(throws: SigningKeyError.malformed) { try PrivateKey(pem: Secret(text.utf8)) }
    }
}

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

    @Test(
        "reads a file that only its owner may read, and refuses one that others may read or change",
        arguments: [0o600, 0o400, 0o700, 0o644, 0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666, 0o777] as [mode_t])
    func permissions(permissions: mode_t) throws {
        let folder = try Folder(permissions: permissions)
        guard permissions & 0o077 != 0 else { return #expect(try contents(folder.key) == "key") }
        #expect(throws: SigningKeyError.accessibleToOthers) { try contents(folder.key) }
    }

    @Test(
        "refuses another user's file, and one in another user's folder",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func foreign() throws {
        let folder = try Folder()
        chown(folder.key, 1_234, 1_234)
        #expect(throws: SigningKeyError.foreignOwner) { try contents(folder.key) }
        chown(folder.key, 0, 0)
        chown(folder.url.path, 1_234, 1_234)
        #expect(throws: Self.replaceable(folder.url.path)) { try contents(folder.key) }
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
