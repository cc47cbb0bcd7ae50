import CStandIn
import Dispatch
import Glibc
import Synchronization

/// A socket that is closed with its owner, and that its group can end from any thread.
struct Socket: ~Copyable {
    let descriptor: Int32
    let group: SocketGroup

    /// Takes a descriptor into a group; if the group has ended, nothing can be read or written through it.
    init(owning descriptor: Int32, in group: SocketGroup) {
        self.descriptor = descriptor
        self.group = group
        group.enter(descriptor)
    }

    deinit { group.leave(descriptor) }

    /// Sets an option: socket(7), tcp(7).
    func set(_ option: Int32, of level: Int32 = SOL_SOCKET, to value: some BitwiseCopyable) {
        withUnsafeBytes(of: value) { value in
            _ = setsockopt(descriptor, level, option, value.baseAddress, socklen_t(value.count))
        }
    }

    /// Waits so long (nil: for ever), or until the other side sends no more or the group ends.
    /// - Returns: Whether the other side is still there.
    func stays(for time: Duration?) -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(GITSPACE_POLLRDHUP), revents: 0)
        return poll(&event, 1, time.map { Int32($0 / .milliseconds(1)) } ?? -1) == 0
    }

    /// Hands the socket to a thread of its own, which ends with `work`.
    consuming func onThread(_ work: @escaping @Sendable (consuming Socket) -> Void) {
        let job = Unmanaged.passRetained(Job(socket: self, work: work))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { job in
                // A client that has gone is an error of the call that writes to it, never a signal.
                var signals = sigset_t()
                sigfillset(&signals)
                pthread_sigmask(SIG_SETMASK, &signals, nil)
                guard let job = job.map({ Unmanaged<Job>.fromOpaque($0).takeRetainedValue() }) else { return nil }
                if let socket = job.socket.take() { job.work(socket) }
                return nil
            }, job.toOpaque())
        if failure == 0 { pthread_detach(thread) } else { job.release() }
    }

    /// What a new thread finds: pthread_create(3) hands over one pointer.
    private final class Job {
        var socket: Socket?
        let work: @Sendable (consuming Socket) -> Void

        init(socket: consuming Socket, work: @escaping @Sendable (consuming Socket) -> Void) {
            self.socket = consume socket
            self.work = work
        }
    }
}

/// The open sockets of one listener: its own, and those of the clients that it took.
final class SocketGroup: Sendable {
    /// nil: they have been ended.
    private let descriptors = Mutex<Set<Int32>?>([])
    private let owners = DispatchGroup()

    fileprivate func enter(_ descriptor: Int32) {
        owners.enter()
        descriptors.withLock { descriptors in
            if descriptors?.insert(descriptor) == nil { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Closes; not while `end` works, which would end whatever has the same number next.
    fileprivate func leave(_ descriptor: Int32) {
        descriptors.withLock { descriptors in
            descriptors?.remove(descriptor)
            close(descriptor)
        }
        owners.leave()
    }

    /// How many are open.
    var count: Int { descriptors.withLock { $0?.count ?? 0 } }

    /// Has whoever reads, writes or waits on one of the sockets find its end; harmless when done twice.
    func end() {
        descriptors.withLock { descriptors in
            for descriptor in descriptors ?? [] { shutdown(descriptor, Int32(SHUT_RDWR)) }
            descriptors = nil
        }
    }

    /// Returns when all sockets are closed, and their threads with them.
    func whenClosed() async {
        await withCheckedContinuation { continuation in
            owners.notify(queue: .global()) { continuation.resume() }
        }
    }
}
