internal import CProcess
internal import Glibc

/// A process that we have started: its ID belongs to it until we have seen its end.
final class Child {
    private let id: pid_t
    private let handle: Handle?
    private var end: ChildProcess.State?

    /// Milliseconds: SIGKILL does not end what the kernel or another user keeps.
    private static let grace: Int64 = 1_000

    init(_ id: pid_t) {
        self.id = id
        handle = Handle(FileDescriptor(gitspace_process_descriptor(id)))
    }

    /// Becomes readable at its end; nil before Linux 5.3.
    var number: Int32? { handle?.number }

    /// Does not wait.
    var state: ChildProcess.State {
        if let end { return end }
        var status: Int32 = 0
        var ended = waitpid(id, &status, WNOHANG)
        while ended < 0, errno == EINTR { ended = waitpid(id, &status, WNOHANG) }
        guard ended != 0 else { return .running }
        let state = ended == id && status == 0 ? ChildProcess.State.succeeded : .failed
        end = state
        return state
    }

    /// With SIGKILL.
    func stop() {
        guard state == .running else { return }
        kill(id, SIGKILL)
        var deadline = Deadline(in: Self.grace)
        while state == .running, deadline.lasts() { wait() }
    }

    /// For its end, or until something can be read or written; not longer than from one look to the next.
    func wait(reading: [Int32] = [], writing: Int32? = nil) {
        var watched = (reading + [number].compactMap(\.self)).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if let writing { watched.append(pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)) }
        // Where nothing tells its end, it is looked for more often.
        poll(&watched, nfds_t(watched.count), Int32(number == nil ? Deadline.interval / 10 : Deadline.interval))
    }
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
