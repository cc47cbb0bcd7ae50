internal import CProcess
package import CredentialCore
internal import Glibc

/// Connections of one request and one answer each: requests are read as they come, and answered one after the other.
package final class RequestConnections: ConnectionService {
    package struct Limits: Sendable {
        /// Bytes.
        package var request = 8_192
        /// Further clients wait in the kernel.
        package var connections = 16
        /// Milliseconds from a connection to the end of its request.
        package var reading: Int64 = 5_000
        /// A shorter limit while there is no room for another connection, so that silent clients do not block others.
        package var readingWithoutRoom: Int64 = 1_000

        package init() {}
    }

    /// Makes the answer; `arrival` is the uptime in milliseconds at which the connection was accepted.
    package typealias Service = (
        _ request: Secret, _ peer: Peer, _ arrival: Int64, _ whileWaiting: () -> Void
    ) -> Secret

    private let limits: Limits
    private let uptime: () -> Int64
    private let answer: Service
    private var connections: [Connection] = []
    private var complete: [Connection] = []

    package init(
        limits: Limits = Limits(), uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds },
        answer: @escaping Service
    ) {
        self.limits = limits
        self.uptime = uptime
        self.answer = answer
    }

    package var descriptors: [Int32] { connections.map(\.number) }
    package var hasRoom: Bool { connections.count + complete.count < limits.connections }
    package var hasConnections: Bool { !connections.isEmpty || !complete.isEmpty }
    package var hasRequest: Bool { !complete.isEmpty }
    package var deadline: Int64? { connections.map { $0.arrival + patience }.min() }
    private var patience: Int64 { hasRoom ? limits.reading : limits.readingWithoutRoom }

    package func take(_ connection: consuming FileDescriptor, from peer: Peer, arrival: Int64) {
        // A client has usually sent its whole request by the time it is accepted.
        take(Connection(connection, from: peer, arrival: arrival))
    }

    package func readAll() {
        let (waiting, patience) = (connections, patience)
        connections = []
        let now = uptime()
        for connection in waiting { take(connection, isLate: now - connection.arrival >= patience) }
    }

    package func answerOne(whileWaiting: () -> Void) {
        let connection = complete.removeFirst()
        connection.send(answer(connection.takeRequest(), connection.peer, connection.arrival, whileWaiting))
    }

    private func take(_ connection: Connection, isLate: Bool = false) {
        switch connection.read(atMost: limits.request) {
        case .complete: complete.append(connection)
        case .reading: if !isLate { connections.append(connection) }
        case .invalid: break
        }
    }
}

private final class Connection {
    enum State {
        case reading
        /// A blank line or the end was read.
        case complete
        case invalid
    }

    let peer: Peer
    /// Milliseconds of uptime.
    let arrival: Int64
    private let descriptor: FileDescriptor
    private var request = Secret.Builder()
    private var lines = LineEnds()

    init(_ descriptor: consuming FileDescriptor, from peer: Peer, arrival: Int64) {
        self.peer = peer
        self.arrival = arrival
        self.descriptor = descriptor
    }

    func takeRequest() -> Secret { request.take() }
    var number: Int32 { descriptor.number }

    func read(atMost most: Int) -> State {
        while true {
            var isEnd = false
            let count = request.append { lines.read(number, into: $0, &isEnd) }
            guard count >= 0 else { return errno == EAGAIN ? .reading : .invalid }
            if count == 0 { return .complete }
            guard request.count <= most else { return .invalid }
            if isEnd { return .complete }
        }
    }

    /// Sends as much as the socket accepts without waiting; its buffer has room for many answers.
    func send(_ answer: Secret) {
        guard !answer.isEmpty else { return }
        answer.reveal { bytes in
            _ = Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
    }
}
