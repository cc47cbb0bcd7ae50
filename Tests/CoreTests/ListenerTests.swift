import CredentialCore
import Glibc
import Staging
import System
import Testing

/// The tests move the clock.
@Suite("Listeners")
final class ListenerTests {
    private let folder = TestFolder()
    private var path: String { folder.path + "/socket" }
    private var now: Int64 = 0
    private let request = Array("get\n\n".utf8)

    private var answers = 0

    private func listener(
        _ limits: Listener.Limits = Listener.Limits(), hearing hear: @escaping (Secret) -> Void = { _ in }
    ) throws -> Listener {
        let uptime = { [unowned self] in now }
        return Listener(
            on: try ListeningSocket(at: path), limits: limits, uptime: uptime, admits: { _ in true },
            RequestConnections(uptime: uptime) { [unowned self] request, _, _, _ in
                answers += 1
                hear(request)
                return Secret(Array("answer".utf8))
            })
    }

    /// Runs a listener that never waits, because a descriptor is always readable.
    private func run(_ listener: Listener, until isStopped: () -> Bool) -> Listener.End {
        let wakes = open("/dev/null", O_RDONLY)
        defer { close(wakes) }
        return listener.run(watching: [wakes], isStopped: isStopped)
    }

    /// Takes a hundred turns at a moment.
    private func takeTurns(_ listener: Listener, at time: Int64) {
        now = time
        var turns = 0
        _ = run(listener) {
            turns += 1
            return turns > 100
        }
    }

    @Test("ends in time, however many requests come without a pause")
    func neverIdle() throws {
        var client: SocketClient?
        // The next request is sent before the answer to the last one.
        func ask() { client = try? SocketClient(to: path, sending: request) }
        let listener = try listener { [unowned self] _ in
            now += 1
            ask()
        }
        ask()
        let end = listener.run(until: 200, watching: [], isStopped: { now > 300 })
        #expect(end == .elapsed && client != nil)
    }

    @Test("accepts a request that comes byte by byte")
    func pieces() async throws {
        var requests: [[UInt8]] = []
        let listener = try listener { requests.append($0.reveal { Array($0) }) }
        let client = try SocketClient(to: path)
        var rest = request[...]
        // One byte in each turn.
        _ = listener.run(
            watching: [],
            isStopped: {
                client.send(Array(rest.prefix(1)))
                rest = rest.dropFirst()
                return !requests.isEmpty
            })
        #expect(requests == [request])
        #expect(try await client.answer() == "answer")
    }

    @Test("closes a connection with half a request at its time limit, without another event")
    func half() async throws {
        let (path, request) = (path, request)
        Thread.detachNewThread {
            guard let socket = try? ListeningSocket(at: path) else { return }
            var limits = Listener.Limits()
            limits.tick = 1 << 40
            var (now, answers): (Int64, Int) = (0, 0)
            let connections = RequestConnections(uptime: { now }) { _, _, _, _ in
                now += RequestConnections.Limits().reading
                answers += 1
                return Secret(Array("answer".utf8))
            }
            _ = Listener(on: socket, limits: limits, uptime: { now }, admits: { _ in true }, connections)
                .run(watching: [], isStopped: { answers == 2 })
        }
        let half = try await eventually("a listener") { try? SocketClient(to: path) }
        defer { _ = try? SocketClient(to: path, sending: request) }
        half.send(Array("get\n".utf8))
        #expect(try await SocketClient(to: path, sending: request).answer() == "answer")
        #expect(try await half.answer().isEmpty)
    }

    @Test("closes an idle connection after five seconds, or after one if all sixteen places are taken")
    func silence() async throws {
        let listener = try listener()
        let silent = try (0..<15).map { _ in try SocketClient(to: path) }
        // With one place left, all other requests are answered, and no time passes.
        let others = try (0..<5).map { _ in try SocketClient(to: path, sending: request) }
        takeTurns(listener, at: 0)
        for client in others { #expect(try await client.answer() == "answer") }
        let last = try SocketClient(to: path)
        last.send(Array("get\n".utf8))
        let patient = try SocketClient(to: path, sending: request)
        for (time, expected) in [(0, 5), (999, 5), (1_000, 6)] {
            takeTurns(listener, at: Int64(time))
            #expect(answers == expected, "after \(time) ms")
        }
        #expect(try await patient.answer() == "answer")
        for client in silent + [last] { #expect(try await client.answer().isEmpty) }
        // With free places, a slow connection has its full time.
        let slow = try SocketClient(to: path)
        takeTurns(listener, at: 1_000)
        takeTurns(listener, at: 5_999)
        slow.send(request)
        takeTurns(listener, at: 5_999)
        #expect(try await slow.answer() == "answer")
        let mute = try SocketClient(to: path)
        takeTurns(listener, at: 5_999)
        takeTurns(listener, at: 10_999)
        #expect(try await mute.answer().isEmpty)
    }

    /// A service with one connection, open until a time.
    private final class Open: ConnectionService {
        let isOpen: () -> Bool
        init(_ isOpen: @escaping () -> Bool) { self.isOpen = isOpen }
        var descriptors: [Int32] { [] }
        var hasRoom: Bool { true }
        var hasConnections: Bool { isOpen() }
        var hasRequest: Bool { false }
        var deadline: Int64? { nil }
        func take(_ connection: consuming FileDescriptor, from peer: Peer, arrival: Int64) {}
        func readAll() {}
        func answerOne(whileWaiting: () -> Void) {}
    }

    @Test("is idle a while after its last connection has ended, and not before")
    func openConnection() throws {
        var limits = Listener.Limits()
        limits.idle = 1_000
        let listener = Listener(
            on: try ListeningSocket(at: path), limits: limits, uptime: { [unowned self] in now }, admits: { _ in true },
            Open { [unowned self] in now < 5_000 })
        let end = run(listener) {
            now += 100
            return now > 9_000
        }
        #expect(end == .idle && now == 5_900)
    }

    @Test("accepts new connections at a limited rate after a burst, and answers waiting ones in time")
    func pace() throws {
        var limits = Listener.Limits()
        limits.rate = (burst: 4, each: 2)
        let listener = try listener(limits)
        let clients = try (0..<10).map { _ in try SocketClient(to: path, sending: request) }
        for (time, expected) in [(0, 4), (499, 4), (500, 5), (1_500, 7), (10_000, 10)] {
            takeTurns(listener, at: Int64(time))
            #expect(answers == expected, "after \(time) ms")
        }
        withExtendedLifetime(clients) {}
    }
}

@Suite("A connection to a Unix socket")
struct UnixSocketTests {
    @Test("distinguishes a path that is too long for an address from a listener that has gone")
    func tooLong() {
        let path = Array("/nonexistent/".utf8) + [UInt8](repeating: 0x78, count: 95)
        for (path, number) in [(path.dropLast(), ENOENT), (path[...], ENAMETOOLONG)] {
            #expect(throws: Errno(number: number)) {
                _ = try UnixSocket.connected(to: .path(Array(path)), by: Deadline(in: 1_000))
            }
        }
    }
}
