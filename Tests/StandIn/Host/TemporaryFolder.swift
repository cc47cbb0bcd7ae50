import FoundationEssentials
import Glibc

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
