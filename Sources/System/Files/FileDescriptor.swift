internal import CProcess
internal import Glibc

/// A descriptor that is closed when its owner is released.
package struct FileDescriptor: ~Copyable {
    package let number: Int32

    /// O_PATH of <fcntl.h>, which glibc declares only for _GNU_SOURCE: opens a folder whose listing may be forbidden.
    package static let pathOnly: Int32 = 0o10_000_000

    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    /// Opens a file that children do not inherit.
    package init?(opening path: String, _ flags: Int32, mode: UInt32 = 0) {
        self.init(Glibc.open(path, flags | O_CLOEXEC, mode))
    }

    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(Errno) -> FileDescriptor {
        guard let file = FileDescriptor(opening: path, flags, mode: mode) else { throw .last }
        return file
    }

    /// `O_PATH` is enough for the folder.
    package static func open(
        _ name: String, in folder: borrowing FileDescriptor, _ flags: Int32
    ) throws(Errno) -> FileDescriptor {
        guard let file = FileDescriptor(openat(folder.number, name, flags | O_CLOEXEC)) else { throw .last }
        return file
    }

    deinit { close(number) }

    /// Waits if there is nothing to read yet.
    ///
    /// - Returns: the number of bytes; 0 at the end; negative for a failure, which is in `errno`.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { Self.read(number, into: buffer) }

    package static func read(_ number: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Waits with poll(2), which a signal may end early; of the descriptors `ending`, only the end is reported.
    ///
    /// - Returns: the descriptors that are ready or have ended.
    package static func ready(
        reading: [Int32] = [], writing: [Int32] = [], ending: [Int32] = [], within milliseconds: Int64
    ) -> [Int32] {
        var watched = reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        watched += writing.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        watched += ending.map { pollfd(fd: $0, events: 0, revents: 0) }
        guard poll(&watched, nfds_t(watched.count), Int32(clamping: milliseconds)) > 0 else { return [] }
        return watched.compactMap { $0.revents == 0 ? nil : $0.fd }
    }

    /// Waits for one descriptor.
    ///
    /// The front door has no arrays of numbers: making their type at run time takes 7,000 instructions.
    package static func isReady(_ number: Int32, writing: Bool = false, within milliseconds: Int64) -> Bool {
        var watched = pollfd(fd: number, events: Int16(writing ? POLLOUT : POLLIN), revents: 0)
        return poll(&watched, 1, Int32(clamping: milliseconds)) > 0
    }

    /// Writes everything, in pieces if need be (pipes, terminals); false if the pipe is closed or the disk is full.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) -> Bool { Self.write(bytes, to: number) }

    package static func write(_ bytes: UnsafeRawBufferPointer, to number: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            rest = rest.dropFirst(written)
        }
        return true
    }
}

/// A shared descriptor for arrays and optionals, closed when the last reference is released.
package final class Handle {
    private let file: FileDescriptor

    package init?(_ file: consuming FileDescriptor?) {
        guard let file else { return nil }
        self.file = file
    }

    package var number: Int32 { file.number }
}

/// A pipe that no child inherits by accident: pipe2(2).
struct Pipe: ~Copyable {
    let reader: FileDescriptor
    let writer: FileDescriptor

    init?() {
        var ends: [Int32] = [-1, -1]
        guard gitspace_pipe(&ends) == 0, let reader = FileDescriptor(ends[0]), let writer = FileDescriptor(ends[1])
        else { return nil }
        self.reader = reader
        self.writer = writer
    }
}

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
