import Dispatch
import Glibc
import Staging
import Synchronization
import System

@testable import FrontDoor

/// A bus and a keyring in one, for one connection, whose answers a test defines.
final class ScriptedBus: Sendable {
    enum Reaction: Sendable {
        case send([UInt8])
        /// Sends bytes one at a time.
        case dribble([UInt8])
        case sendAndHangUp([UInt8])
        case nothing

        static func send(_ message: WireMessage) -> Reaction { .send(message.bytes) }
    }

    typealias Script = @Sendable (Call) -> Reaction

    private let answersHello: Bool
    private let folder: String
    private let listener: Int32
    private let calls = Mutex<[String]>([])
    private let isHasty = Mutex(false)
    private let closed = DispatchSemaphore(value: 0)

    var address: SessionBusAddress.Socket { .path(Array((folder + "/bus").utf8)) }
    var names: [String] { calls.withLock { $0 } }

    /// Whether more data came after the first keyring call and before its answer.
    var wasHurried: Bool { isHasty.withLock { $0 } }

    /// - Parameters:
    ///   - greeting: The answer to `AUTH`; `nil` for none.
    ///   - answersHello: Whether the bus answers `Hello` itself.
    ///   - script: Returns the reaction to all other calls.
    /// - Throws: An error if there is no free socket.
    init(greeting: String? = "OK 1234deadbeef\r\n", answersHello: Bool = true, _ script: @escaping Script) throws {
        self.answersHello = answersHello
        folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = try UnixAddress.bound(to: folder + "/bus")
        listen(listener, 1)
        // A dedicated thread: a queue has few threads, and all tests of a suite would wait for them.
        Thread.detachNewThread { [self] in
            let connection = accept(listener, nil, nil)
            serve(connection, SocketClient(owning: connection), greeting: greeting, script)
            closed.signal()
        }
    }

    /// Waits for the end of the connection, and removes the folder.
    func finish() {
        shutdown(listener, Int32(SHUT_RDWR))
        closed.wait()
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func serve(_ connection: Int32, _ caller: SocketClient, greeting: String?, _ script: Script) {
        var input: [UInt8] = []
        while !input.contains(UInt8(ascii: "\n")) { guard receive(connection, &input) else { return } }
        input = []
        if let greeting { caller.send(Array(greeting.utf8)) }
        let begin = Array("BEGIN\r\n".utf8)
        while input.count < begin.count { guard receive(connection, &input) else { return } }
        input.removeFirst(begin.count)
        while true {
            while !Self.isWhole(input) { guard receive(connection, &input) else { return } }
            guard let length = try? IncomingMessage.length(input[..<16]), let call = try? Call(input[..<length]) else {
                return
            }
            input.removeFirst(length)
            calls.withLock { $0.append(call.name) }
            if call.name == "Get Collections" { noteHaste(connection, input) }
            let reaction = call.member == "Hello" && answersHello ? .send(Self.hello(call)) : script(call)
            switch reaction {
            case .send(let bytes): caller.send(bytes)
            case .dribble(let bytes): bytes.forEach { caller.send([$0]) }
            case .sendAndHangUp(let bytes):
                caller.send(bytes)
                return
            case .nothing: break
            }
        }
    }

    static func hello(_ call: Call) -> WireMessage { .answer(to: call.serial, "s") { $0.string(":1.7".utf8) } }

    private static func isWhole(_ input: [UInt8]) -> Bool {
        guard input.count >= 16, let length = try? IncomingMessage.length(input[..<16]) else { return false }
        return input.count >= length
    }

    /// Only waiting shows that nothing comes: a hasty reader sends the next call at once.
    private func noteHaste(_ connection: Int32, _ input: [UInt8]) {
        var descriptor = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        if !input.isEmpty || poll(&descriptor, 1, 20) != 0 { isHasty.withLock { $0 = true } }
    }

    private func receive(_ connection: Int32, _ input: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(connection, &buffer, buffer.count)
        guard count > 0 else { return false }
        input += buffer[..<count]
        return true
    }
}
