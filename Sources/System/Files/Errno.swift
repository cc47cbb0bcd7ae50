internal import Glibc

/// The value of errno(3), read right after the failed call: any later call, such as close(2), may overwrite it.
package struct Errno: Error, Equatable {
    package let number: Int32

    package init(number: Int32) { self.number = number }

    package static var last: Errno { Errno(number: errno) }

    /// Throws if a call that returns 0 on success has failed.
    package static func check(_ result: Int32) throws(Errno) { guard result == 0 else { throw .last } }

    /// Repeats a call, negative on failure, after a signal (EINTR); `nil` if the call would block (EAGAIN).
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

    /// Whether the file or a directory of its path does not exist.
    package var isAbsence: Bool { number == ENOENT || number == ENOTDIR }

    /// strerror(3).
    package var text: String { String(cString: strerror(number)) }
}
