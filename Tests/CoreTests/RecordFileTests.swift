import Foundation
import System
import Testing

@Suite("Record file and its lock")
struct RecordFileTests {
    private let folder = TestFolder()
    private var path: String { folder.path + "/record" }

    @Test("has no holder if the lock is free or the file is missing")
    func free() throws {
        #expect(RecordFile.holder(of: path) == .none)
        try Data().write(to: URL(filePath: path))
        #expect(RecordFile.holder(of: path) == .none)
    }

    @Test("takes a lock of an open file as held by no process that could be ended")
    func openFile() throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        // The lock is F_OFD_SETLK of fcntl(2).
        var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
        #expect(fcntl(file, 37, &lock) == 0)
        #expect(RecordFile.holder(of: path) == .elsewhere)
        #expect(throws: RecordFile.Failure.held) { try RecordFile(locking: path) }
    }
}
