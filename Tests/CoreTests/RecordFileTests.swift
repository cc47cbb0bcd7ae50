import Foundation
import System
import Testing

@Suite("A record and its lock")
struct RecordFileTests {
    private let path = FileManager.default.temporaryDirectory.path + "/record-\(UUID().uuidString)"

    @Test("nobody holds a lock that nobody has taken, nor that of a file that is not there")
    func free() throws {
        defer { unlink(path) }
        #expect(RecordFile.holder(of: path) == .none)
        try Data().write(to: URL(filePath: path))
        #expect(RecordFile.holder(of: path) == .none)
    }

    @Test("the lock of an open file belongs to no process that could be ended, and is held all the same")
    func openFile() throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(file)
            unlink(path)
        }
        // F_OFD_SETLK: fcntl(2).
        var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
        #expect(fcntl(file, 37, &lock) == 0)
        #expect(RecordFile.holder(of: path) == .elsewhere)
        #expect(throws: RecordFile.Failure.held) { try RecordFile(locking: path) }
    }
}
