import CredentialCore
import Foundation
import System
import Testing

@Suite("Small files")
struct FileReaderTests {
    @Test("reads a file up to the limit")
    func contents() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "read-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try "12345".write(to: file, atomically: true, encoding: .utf8)
        #expect(try FileReader.contents(of: file.path, atMost: 5) == Array("12345".utf8))
        #expect(throws: FileReader.Failure.tooLarge) { try FileReader.contents(of: file.path, atMost: 4) }
        #expect(FileReader.beginning(of: file.path, atMost: 4) == Array("1234".utf8))
        #expect(FileReader.beginning(of: file.path, atMost: 6) == Array("12345".utf8))
    }

    @Test(
        "distinguishes an absent path from one that is no file",
        arguments: [
            ("/nonexistent/file", .absent), ("/dev/null/file", .absent), ("/dev/zero", .notRegular),
            ("/tmp", .notRegular),
        ] as [(String, FileReader.Failure)])
    func failures(path: String, failure: FileReader.Failure) {
        #expect(throws: failure) { try FileReader.contents(of: path, atMost: 10) }
    }

    @Test("does not read another tool's credentials if others could have written them")
    func plainFiles() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "plain-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data("12345".utf8).write(to: URL(filePath: file))
        func isRead() -> Bool {
            guard case .contents = PlainFiles().contents(of: file) else { return false }
            return true
        }
        // A private group of the person's is no other person.
        let isAlone = PrivateGroup.isPrivate(getegid(), of: geteuid())
        for (permissions, expected) in [(0o600, true), (0o644, true), (0o664, isAlone), (0o602, false)] {
            chmod(file, mode_t(permissions))
            #expect(isRead() == expected, "\(permissions)")
        }
    }

    @Test(
        "does not read another tool's credentials from another user's file",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func anotherUsersFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "plain-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data("12345".utf8).write(to: URL(filePath: file))
        chmod(file, 0o600)
        guard case .contents = PlainFiles().contents(of: file) else { Issue.record("one's own is not read"); return }
        chown(file, 1_234, 1_234)
        if case .contents = PlainFiles().contents(of: file) { Issue.record("another user's is read") }
    }

    @Test("reads a file without a size, as the kernel makes them")
    func process() {
        #expect(ProcessEntry.arguments(of: getpid())?.isEmpty == false)
        #expect(ProcessEntry.arguments(of: 0) == nil)
    }
}
