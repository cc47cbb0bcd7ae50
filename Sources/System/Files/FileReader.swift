package import CredentialCore
internal import Glibc

package enum FileReader {
    package enum Failure: Error, Equatable {
        case absent
        /// A directory, a device or a pipe.
        case notRegular
        case tooLarge
        case system(Errno)
    }

    /// Reads a file, following links, into one allocation, which a caller that reads a secret has to wipe.
    package static func contents(of path: String, atMost most: Int) throws(Failure) -> [UInt8] {
        try contents(of: open(path), atMost: most)
    }

    package static func contents(of file: borrowing FileDescriptor, atMost most: Int) throws(Failure) -> [UInt8] {
        guard let status = FileStatus(of: file) else { throw .system(.last) }
        guard status.kind == .regular else { throw .notRegular }
        guard status.size <= most else { throw .tooLarge }
        // One byte more than the size, so that growth in the meantime is noticed.
        let limit = status.size + 1
        var bytes = try read(file, atMost: limit)
        guard bytes.count < limit else {
            bytes.wipe()
            throw .tooLarge
        }
        return bytes
    }

    /// The beginning of a file without a size, such as one of proc(5), or `nil` if nothing can be read.
    package static func beginning(of path: String, atMost most: Int) -> [UInt8]? {
        let bytes = try? read(open(path), atMost: most)
        return bytes.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Opens a file without waiting for a writer if it is a pipe.
    static func open(_ path: String) throws(Failure) -> FileDescriptor {
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
            throw Errno.last.isAbsence ? .absent : .system(.last)
        }
        return file
    }

    private static func read(_ file: borrowing FileDescriptor, atMost most: Int) throws(Failure) -> [UInt8] {
        let number = file.number
        var failure: Errno?
        var bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, length in
            let room = UnsafeMutableRawBufferPointer(buffer)
            while length < most {
                let count = FileDescriptor.read(number, into: UnsafeMutableRawBufferPointer(rebasing: room[length...]))
                if count < 0 { failure = .last }
                if count <= 0 { break }
                length += count
            }
        }
        if let failure {
            bytes.wipe()
            throw .system(failure)
        }
        return bytes
    }
}

/// Files in which other tools store credentials.
///
/// A file that others can write is not read: its content could sign the person in to somebody else's account.
package struct PlainFiles {
    private static let most = 1 << 20
    package init() {}

    package func contents(of path: String) -> FileContents {
        do throws(FileReader.Failure) {
            let file = try FileReader.open(path)
            guard let status = FileStatus(of: file), !Others().canChange(file, status) else { return .unreadable }
            var bytes = try FileReader.contents(of: file, atMost: Self.most)
            defer { bytes.wipe() }
            return .contents(Secret(bytes))
        } catch {
            return error == .absent ? .absent : .unreadable
        }
    }
}

enum FileReplacement {
    /// Replaces a file by rename(2), so that readers see either the old text or the new, and keeps it on failure.
    static func replace(_ path: String, with text: String) {
        let new = path + ".new"
        unlink(new)
        guard let file = FileDescriptor(opening: new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600),
            Array(text.utf8).withUnsafeBytes({ file.write($0) })
        else { return }
        rename(new, path)
    }
}
