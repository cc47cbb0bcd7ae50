import CredentialCore
import Foundation
import Glibc
import Staging
import System
import TestSupport
import Testing

@testable import Share

/// The process that shares, at a real socket, with the person and the processes of connections as doubles.
@Suite("share: the sharing process, and its trial of git on another machine")
final class ShareServingTests {
    private let fixture = ShareFixture(confirmation: .once)
    private let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString.prefix(8))"

    deinit { unlink(path) }

    /// The double of a process did not get what it waits for.
    private struct Missing: Error {}

    /// Serves with these limits for so many turns at most.
    private func serve(turns: Int = 100, isDone: () -> Bool = { false }, _ limit: (inout Listener.Limits) -> Void)
        throws -> Listener.End
    {
        var (limits, left) = (Listener.Limits(), turns)
        limits.tick = 1
        limit(&limits)
        return fixture.session.serve(
            try ListeningSocket(at: path), within: limits, until: nil, watching: [],
            isStopped: {
                left -= 1
                return left < 0 || isDone()
            })
    }

    @Test("goes on without requests while it holds a yes, and ends without one")
    func heldYes() throws {
        fixture.helper.stored(expiresIn: 28_800)
        #expect(try serve { $0.idle = 1 } == .idle)
        #expect(fixture.ask().contains("password=") && fixture.isHolding)
        #expect(try serve { $0.idle = 1 } == .stopped)
    }

    @Test("notices a lock of the screen without a request, and asks again afterwards")
    func screenLock() throws {
        fixture.helper.stored(expiresIn: 28_800)
        #expect(fixture.ask().contains("password=") && fixture.isHolding)
        fixture.screen.isLocked = true
        _ = try serve(isDone: { !fixture.isHolding }) { _ in }
        fixture.screen.isLocked = false
        #expect(!fixture.isHolding && fixture.events.last == .flush)
        #expect(fixture.ask().contains("password=") && fixture.screen.questions.count == 2)
    }

    @Test("takes one question at a time from a connection's process, drops one that sends another, and has room for 64")
    func questions() throws {
        let policy = GatewayPolicy(.hosts([HostName(name: "github.com")]))
        let fixture = ShareFixture(gateway: policy, expiresIn: 28_800)
        var ends: [Int32] = []
        let session = GatewaySession(under: policy, fixture.credentials) { _ in
            var pair: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0,
                let ours = FileDescriptor(pair[0]), let channel = MessageSocket(ours)
            else { return nil }
            ends.append(pair[1])
            return (nil, channel)
        }
        func connect() throws -> MessageSocket {
            guard let client = FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)) else { throw Missing() }
            session.take(client, from: Peer(process: 1, user: geteuid()), arrival: 0)
            guard let end = FileDescriptor(ends.removeLast()), let process = MessageSocket(end),
                case .message = process.receive()
            else { throw Missing() }
            return process
        }
        let question = Secret(GatewayMessage.asks(try .transfer()).encoded)
        let honest = try connect()
        // An open connection keeps the share from an idle end.
        #expect(session.hasConnections && !session.hasRequest)
        for _ in 1...2 {
            honest.send(question)
            session.readAll()
            session.answerOne(whileWaiting: {})
            guard case .message(let answer) = honest.receive() else { throw Missing() }
            #expect(GatewayToken(parsing: answer) != nil)
        }
        let other = try connect()
        for _ in 1...3 { other.send(question) }
        session.readAll()
        #expect(!session.hasRequest && session.hasConnections)
        guard case .ended = other.receive() else { throw Missing() }
        var more = try (1...62).map { _ in try connect() }
        #expect(session.hasRoom)
        more.append(try connect())
        #expect(!session.hasRoom)
        withExtendedLifetime((honest, more)) {}
    }

    @Test("a trial of git on another machine does not replace a closed connection by one without the person's settings")
    func noConnection() async throws {
        let machine = try ScriptedServer(.plain)
        let trial = GatewayTrial("ssh://127.0.0.1:\(machine.port)", over: "/nonexistent", in: "/nonexistent") { _ in }
        try await eventually("its end") { trial.hasEnded ? true : nil }
        #expect(machine.connections == 0)
    }
}
