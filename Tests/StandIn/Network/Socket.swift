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

    /// Sets an option that is a number.
    func set(_ option: Int32, of level: Int32 = SOL_SOCKET, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Has neither reading nor writing wait longer than this.
    func limitWaiting(seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
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
                if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().run() }
                return nil
            }, job.toOpaque())
        if failure == 0 { pthread_detach(thread) } else { job.release() }
    }

    /// What a new thread finds: pthread_create(3) hands over one pointer.
    private final class Job {
        private var socket: Socket?
        private let work: @Sendable (consuming Socket) -> Void

        init(socket: consuming Socket, work: @escaping @Sendable (consuming Socket) -> Void) {
            self.socket = consume socket
            self.work = work
        }

        func run() {
            if let socket = socket.take() { work(socket) }
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
