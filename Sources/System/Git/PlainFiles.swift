package import CredentialCore
internal import Glibc

/// Files in which other tools keep credentials.
package struct PlainFiles {
    /// Thousands of lines.
    private static let most = 1 << 20

    /// The files of whoever runs this process.
    package init() {}

    package func contents(of path: String) -> FileContents {
        guard let file = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else {
            return errno == ENOENT || errno == ENOTDIR ? .absent : .unreadable
        }
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.most else {
            return .unreadable
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        defer { bytes.wipe() }
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                return read(file.number, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .unreadable }
            if count == 0 { break }
            length += count
        }
        return .contents(Secret(bytes[..<length]))
    }
}
