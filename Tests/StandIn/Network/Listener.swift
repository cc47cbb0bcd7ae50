import CStandIn
import Dispatch
import Glibc
import Synchronization

/// A listening socket on 127.0.0.1 with one thread, and one thread for each client.
final class Listener: Sendable {
    let port: Int
    private let sockets = SocketGroup()

    /// Starts listening; connections are accepted when it returns.
    init(serve: @escaping @Sendable (consuming Connection) -> Void) throws(StandInError) {
        // Close-on-exec: a program that a test starts would otherwise keep closed connections open.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listening = Socket(owning: socket(AF_INET, kind, 0), in: sockets)
        listening.set(SO_REUSEADDR, to: Int32(1))
        port = Int(try bindToLoopback(listening.descriptor))
        guard listen(listening.descriptor, SOMAXCONN) == 0 else { throw StandInError("could not listen", code: errno) }
        listening.onThread { listening in
            while true {
                let client = accept4(listening.descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
                if client >= 0 {
                    Socket(owning: client, in: listening.group).onThread { (socket: consuming Socket) in
                        serve(Connection(socket))
                    }
                } else if errno != ECONNABORTED {
                    return
                }
            }
        }
    }

    var clients: Int { max(0, sockets.count - 1) }
    deinit { sockets.end() }

    /// Closes all sockets; when it returns, connections are refused and all threads have ended.
    func stop() async {
        sockets.end()
        await withCheckedContinuation { continuation in
            sockets.owners.notify(queue: .global()) { continuation.resume() }
        }
    }
}

/// Binds a socket to a free port of 127.0.0.1, and returns the port.
package func bindToLoopback(_ descriptor: Int32) throws(StandInError) -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
        guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
        return bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
    }
    guard isBound else { throw StandInError("no free port", code: errno) }
    return UInt16(bigEndian: address.sin_port)
}

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
    fileprivate let owners = DispatchGroup()

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
}
