import CredentialCore
import Foundation
import System
import Testing

@Suite("File locks")
struct FileLocksTests {
    private let temporary = TestFolder()
    var folder: String { temporary.path }
    private var directory: String { folder + "/git-credential-gitspace" }
    private let name = LockName.keyringPassword
    private var locks: FileLocks { FileLocks(in: { [folder] in LockDirectory(in: folder) }) }

    /// The file or folder that is removed during a wait; the last log-out removes the folder.
    enum Removal: CaseIterable { case file, directory }

    @Test("excludes others after the file was removed during a wait", arguments: Removal.allCases)
    func removed(_ removal: Removal) throws {
        var first: (any HeldLock)? = try locks.acquire(name, within: 60_000, whileWaiting: { true })
        var third: (any HeldLock)?
        var looks = 0
        // The second waits for the first, whose file is removed; the third comes, and finds a new file.
        let second = try locks.acquire(name, within: 60_000) {
            looks += 1
            if looks == 1 {
                switch removal {
                case .file: unlink(directory + "/" + name.text + ".lock")
                case .directory: try? FileManager.default.removeItem(atPath: directory)
                }
                third = try? locks.acquire(name, within: 0, whileWaiting: { true })
                #expect(third != nil)
                first?.release()
                first = nil
            } else {
                third?.release()
                third = nil
            }
            return true
        }
        #expect(third == nil && looks > 1, "two hold it")
        #expect(throws: LockError.timedOut) { try locks.acquire(name, within: 0, whileWaiting: { true }) }
        second.release()
        try locks.acquire(name, within: 0, whileWaiting: { true }).release()
    }

    @Test("names a file system that refuses locks, with the error", arguments: [ENOLCK, EIO])
    func refused(error: Int32) throws {
        let locks = FileLocks(in: { [folder] in LockDirectory(in: folder) }, by: { _ in error })
        let failure = LockError.failed(folder: directory, reason: String(cString: strerror(error)))
        #expect(throws: failure) { try locks.acquire(name, within: 60_000, whileWaiting: { true }) }
    }

    @Test("fails if the directory was removed and cannot be created again")
    func gone() throws {
        let held = try locks.acquire(name, within: 60_000, whileWaiting: { true })
        #expect(throws: LockError.impossible) {
            try locks.acquire(name, within: 60_000) {
                try? FileManager.default.removeItem(atPath: folder)
                try? Data().write(to: URL(filePath: folder))
                held.release()
                return true
            }
        }
    }
}
