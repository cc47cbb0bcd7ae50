import FoundationEssentials
import Glibc

/// A temporary file without a name, which is gone when it is closed.
package final class UnnamedFile: Sendable {
    /// The open file, readable and writable, close-on-exec.
    package let descriptor: Int32

    /// Makes a file that holds `contents`, positioned at its start.
    package init(contents: [UInt8] = []) throws(StandInError) {
        let name = RandomText.token(TemporaryFolder.parent + "/stand-in.")
        descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StandInError("could not make a temporary file", code: errno) }
        unlink(name)
        var written = 0
        while written < contents.count {
            let count = contents[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw StandInError("could not fill a temporary file", code: errno) }
            written += count
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    /// The whole file, regardless of its position.
    package func contents() -> [UInt8] {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, initialised in
            while initialised < size {
                let target = buffer.baseAddress?.advanced(by: initialised)
                let count = pread(descriptor, target, size - initialised, initialised)
                guard count > 0 else { return }
                initialised += count
            }
        }
    }
}

/// A private folder that is removed with its owner.
final class TemporaryFolder: Sendable {
    /// The absolute path, without a slash at its end.
    let path: String
    /// The parent folder: `TMPDIR`, or `/tmp`.
    static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    init() throws(StandInError) {
        var template = Array("\(Self.parent)/stand-in.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw StandInError("could not make a folder in \(Self.parent)", code: errno)
        }
        path = template.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit { remove() }

    /// Removes the folder and its contents; harmless if it is already gone.
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A failure of the test environment, such as a missing program; tests do not recover from it.
package struct StandInError: Error, CustomStringConvertible {
    package let description: String
    init(_ message: String) { description = message }
    init(_ message: String, code: Int32) { description = "\(message): \(String(cString: strerror(code)))" }
}
