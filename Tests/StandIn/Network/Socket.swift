import CStandIn
import Dispatch
import Glibc
import Synchronization

/// A socket that is closed with its owner, and that its group can shut down from any thread.
struct Socket: ~Copyable {
    let descriptor: Int32
    let group: SocketGroup

    /// Adds a descriptor to a group; if the group has ended, the socket is shut down.
    init(owning descriptor: Int32, in group: SocketGroup) {
        self.descriptor = descriptor
        self.group = group
        group.enter(descriptor)
    }

    deinit { group.leave(descriptor) }

    /// Sets an option (socket(7), tcp(7)).
    func set(_ option: Int32, of level: Int32 = SOL_SOCKET, to value: some BitwiseCopyable) {
        withUnsafeBytes(of: value) { value in
            _ = setsockopt(descriptor, level, option, value.baseAddress, socklen_t(value.count))
        }
    }

    /// Waits this long (`nil`: for ever), or until the other side shuts down or the group ends.
    func stays(for time: Duration?) -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(GITSPACE_POLLRDHUP), revents: 0)
        return poll(&event, 1, time.map { Int32($0 / .milliseconds(1)) } ?? -1) == 0
    }

    /// Hands the socket to a new thread, which ends with `work`.
    consuming func onThread(_ work: @escaping @Sendable (consuming Socket) -> Void) {
        let job = Unmanaged.passRetained(Job(socket: self, work: work))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { job in
                // Block signals, so that a write to a closed connection returns an error instead of raising SIGPIPE.
                var signals = sigset_t()
                sigfillset(&signals)
                pthread_sigmask(SIG_SETMASK, &signals, nil)
                guard let job = job.map({ Unmanaged<Job>.fromOpaque($0).takeRetainedValue() }) else { return nil }
                if let socket = job.socket.take() { job.work(socket) }
                return nil
            }, job.toOpaque())
        if failure == 0 { pthread_detach(thread) } else { job.release() }
    }

    /// The argument of a new thread: pthread_create(3) passes one pointer.
    private final class Job {
        var socket: Socket?
        let work: @Sendable (consuming Socket) -> Void

        init(socket: consuming Socket, work: @escaping @Sendable (consuming Socket) -> Void) {
            self.socket = consume socket
            self.work = work
        }
    }
}

/// The open sockets of one listener: its own, and those of its clients.
final class SocketGroup: Sendable {
    /// The open descriptors; `nil` once the group has ended.
    private let descriptors = Mutex<Set<Int32>?>([])
    private let owners = DispatchGroup()

    fileprivate func enter(_ descriptor: Int32) {
        owners.enter()
        descriptors.withLock { descriptors in
            if descriptors?.insert(descriptor) == nil { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Closes a descriptor, never while `end` runs: the number could belong to a new file by then.
    fileprivate func leave(_ descriptor: Int32) {
        descriptors.withLock { descriptors in
            descriptors?.remove(descriptor)
            close(descriptor)
        }
        owners.leave()
    }

    var count: Int { descriptors.withLock { $0?.count ?? 0 } }

    /// Shuts down all sockets, so that reads, writes and waits on them end; harmless if repeated.
    func end() {
        descriptors.withLock { descriptors in
            for descriptor in descriptors ?? [] { shutdown(descriptor, Int32(SHUT_RDWR)) }
            descriptors = nil
        }
    }

    /// Returns when all sockets are closed and their threads have ended.
    func whenClosed() async {
        await withCheckedContinuation { continuation in owners.notify(queue: .global()) { continuation.resume() } }
    }
}
