internal import CProcess
internal import Glibc

/// A connection with a time limit on each pause of its peer; each call waits.
package final class PatientStream {
    private let file: FileDescriptor

    package init?(_ file: consuming FileDescriptor) {
        guard fcntl(file.number, F_SETFL, O_NONBLOCK) == 0 else { return nil }
        self.file = file
    }

    /// - Returns: the number of bytes, 0 at the end; `nil` on failure or if nothing arrives in time.
    package func read(into buffer: UnsafeMutableRawBufferPointer, within milliseconds: Int64) -> Int? {
        var deadline = Deadline(in: milliseconds)
        return try? deadline.result(on: file.number) { Glibc.read(file.number, buffer.baseAddress, buffer.count) }
    }

    /// - Returns: false on failure, or if the peer accepts nothing for that many milliseconds.
    package func write(_ pieces: [UnsafeRawBufferPointer], pausing milliseconds: Int64) -> Bool {
        var rest = pieces.map { iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count) }
        while rest.contains(where: { $0.iov_len > 0 }) {
            var deadline = Deadline(in: milliseconds)
            let count = try? deadline.result(on: file.number, writing: true) {
                rest.withUnsafeMutableBufferPointer { vectors in
                    var message = msghdr()
                    message.msg_iov = vectors.baseAddress
                    message.msg_iovlen = vectors.count
                    return sendmsg(file.number, &message, Int32(MSG_NOSIGNAL))
                }
            }
            guard let count else { return false }
            rest.drop(count)
        }
        return true
    }

    package func write(_ bytes: [UInt8], pausing milliseconds: Int64) -> Bool {
        bytes.withUnsafeBytes { write([$0], pausing: milliseconds) }
    }

    package var isClosed: Bool { !FileDescriptor.ready(ending: [file.number], within: 0).isEmpty }

    /// The peer can still read what was sent.
    package func endWriting() { shutdown(file.number, Int32(SHUT_WR)) }
}

extension [iovec] {
    fileprivate mutating func drop(_ count: Int) {
        var left = count
        for index in indices {
            let taken = Swift.min(left, self[index].iov_len)
            self[index].iov_base = self[index].iov_base?.advanced(by: taken)
            self[index].iov_len -= taken
            left -= taken
        }
    }
}
