internal import CProcess
internal import Glibc

/// Closed when its owner is released.
package struct FileDescriptor: ~Copyable {
    package let number: Int32

    /// O_PATH of <fcntl.h>, which glibc declares only for _GNU_SOURCE: a folder that is opened to look for names in it,
    /// even where it may not be listed.
    package static let pathOnly: Int32 = 0o10_000_000

    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    /// No child inherits the file.
    package init?(opening path: String, _ flags: Int32, mode: UInt32 = 0) {
        self.init(Glibc.open(path, flags | O_CLOEXEC, mode))
    }

    /// The same for a caller that has to know why it cannot be opened.
    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(Errno) -> FileDescriptor {
        guard let file = FileDescriptor(opening: path, flags, mode: mode) else { throw .last }
        return file
    }

    /// A name in a folder that is open, even if only as a path.
    package static func open(
        _ name: String, in folder: borrowing FileDescriptor, _ flags: Int32
    ) throws(Errno) -> FileDescriptor {
        guard let file = FileDescriptor(openat(folder.number, name, flags | O_CLOEXEC)) else { throw .last }
        return file
    }

    deinit { close(number) }

    /// Waits if there is nothing yet.
    ///
    /// - Returns: the number of bytes; 0 at the end; negative for a failure, which is in `errno`.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { Self.read(number, into: buffer) }

    /// Of a descriptor that has another owner.
    package static func read(_ number: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Waits with poll(2), which a signal may end early; of some descriptors, only the end matters, such as that nobody
    /// reads any more.
    ///
    /// - Returns: those that can be read or written without waiting, or have ended.
    package static func ready(
        reading: [Int32] = [], writing: [Int32] = [], ending: [Int32] = [], within milliseconds: Int64
    ) -> [Int32] {
        var ready: [Int32] = []
        // Not in an array: the front door waits six times for each hit.
        withUnsafeTemporaryAllocation(of: pollfd.self, capacity: reading.count + writing.count + ending.count) { room in
            var count = 0
            func watch(_ numbers: [Int32], _ events: Int32) {
                for number in numbers {
                    room.initializeElement(at: count, to: pollfd(fd: number, events: Int16(events), revents: 0))
                    count += 1
                }
            }
            watch(reading, POLLIN)
            watch(writing, POLLOUT)
            watch(ending, 0)
            guard poll(room.baseAddress, nfds_t(count), Int32(clamping: milliseconds)) > 0 else { return }
            for watched in room where watched.revents != 0 { ready.append(watched.fd) }
        }
        return ready
    }

    /// A pipe or a terminal may accept the bytes in pieces; a closed pipe and a full disk are failures.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) -> Bool { Self.write(bytes, to: number) }

    /// To a descriptor that has another owner.
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

/// A descriptor in an array or an optional, which is closed as soon as nobody refers to it.
package final class Handle {
    private let file: FileDescriptor

    /// Nil for none.
    package init?(_ file: consuming FileDescriptor?) {
        guard let file else { return nil }
        self.file = file
    }

    package var number: Int32 { file.number }
}

/// No child inherits an end by accident: pipe2(2).
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
