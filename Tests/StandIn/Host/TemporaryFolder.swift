import FoundationEssentials
import Glibc

/// A private folder that is removed with its owner.
final class TemporaryFolder: Sendable {
    /// Absolute, without a slash at the end.
    let path: String

    /// Where temporary things go: `TMPDIR`, or `/tmp`.
    static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// Makes the folder.
    init() throws(StandInError) {
        var template = Array("\(Self.parent)/stand-in.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw StandInError("could not make a folder in \(Self.parent)", code: errno)
        }
        path = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }

    deinit { remove() }

    /// Removes the folder and all in it; harmless when it is gone already.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
