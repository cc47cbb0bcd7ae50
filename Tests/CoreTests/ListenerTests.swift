import CredentialCore
import Foundation
import Staging
import System
import Testing

@Suite("A listener")
struct ListenerTests {
    @Test("ends in time, however many ask without a pause")
    func neverIdle() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/socket"
        let listener = Listener(on: try ListeningSocket(at: path), admits: { _ in true })
        var client: SocketClient?
        func ask() { client = try? SocketClient(to: path, sending: Array("get\n\n".utf8)) }
        ask()
        // The next request is there before the answer to the last one.
        let clock = SystemClock()
        let begin = clock.uptimeMilliseconds
        let end = listener.run(
            until: begin + 200, watching: [], isStopped: { clock.uptimeMilliseconds - begin > 60_000 },
            answer: { _ in
                ask()
                return Secret([])
            })
        #expect(end == .elapsed && client != nil)
    }
}
