internal import Glibc

/// errno(3), taken right after the call that has set it: whatever happens next, such as the closing of a file that nobody
/// needs any more, may set it again.
package struct Errno: Error, Equatable {
    package let number: Int32

    package init(number: Int32) { self.number = number }

    package static var last: Errno { Errno(number: errno) }

    /// The result of a call that returns 0 unless it fails.
    package static func check(_ result: Int32) throws(Errno) {
        guard result == 0 else { throw .last }
    }

    /// The result of a call that is negative if it fails, and does not wait: nil if it would have to (EAGAIN).
    ///
    /// A signal (EINTR) is no failure.
    package static func unlessBusy(_ call: () -> Int) throws(Errno) -> Int? {
        while true {
            let result = call()
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw .last
            }
        }
    }

    /// Nothing stands there.
    package var isAbsence: Bool { number == ENOENT || number == ENOTDIR }

    /// In the system's words.
    package var text: String { String(cString: strerror(number)) }
}
