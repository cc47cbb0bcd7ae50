import CredentialCore
import Foundation
import System
import Testing

@Suite("Small files")
struct FileReaderTests {
    private let folder = TestFolder()

    /// Writes a file that may hold another tool's credentials.
    private func file() throws -> String {
        try Data("12345".utf8).write(to: URL(filePath: folder.path + "/file"))
        return folder.path + "/file"
    }

    private func isRead(_ file: String) -> Bool {
        if case .contents = PlainFiles().contents(of: file) { true } else { false }
    }

    @Test("reads a file up to the limit")
    func contents() throws {
        let file = try file()
        #expect(try FileReader.contents(of: file, atMost: 5) == Array("12345".utf8))
        #expect(throws: FileReader.Failure.tooLarge) { try FileReader.contents(of: file, atMost: 4) }
        #expect(FileReader.beginning(of: file, atMost: 4) == Array("1234".utf8))
        #expect(FileReader.beginning(of: file, atMost: 6) == Array("12345".utf8))
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
        let file = try file()
        // A private group of the person's is no other person.
        let isAlone = PrivateGroup.isPrivate(getegid(), of: geteuid())
        for (permissions, expected) in [(0o600, true), (0o644, true), (0o664, isAlone), (0o602, false)] {
            chmod(file, mode_t(permissions))
            #expect(isRead(file) == expected, "\(permissions)")
        }
    }

    @Test(
        "does not read another tool's credentials from another user's file",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func anotherUsersFile() throws {
        let file = try file()
        chmod(file, 0o600)
        #expect(isRead(file))
        chown(file, 1_234, 1_234)
        #expect(!isRead(file))
    }

    @Test("reads a file without a size, as the kernel makes them")
    func process() {
        #expect(ProcessEntry.arguments(of: getpid())?.isEmpty == false)
        #expect(ProcessEntry.arguments(of: 0) == nil)
    }
}
