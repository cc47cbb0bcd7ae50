import Foundation
import Synchronization

/// Clients that connect without a pause, send the same bytes and read no answer, until connections are refused.
package final class Flood: Sendable {
    private let count = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    package var connections: Int { count.load(ordering: .relaxed) }

    package init(at path: String, clients: Int = 4, sending bytes: [UInt8]) {
        for _ in 0..<clients {
            Thread.detachNewThread { [self] in
                while !isOver.load(ordering: .relaxed), let client = try? SocketClient(to: path) {
                    client.send(bytes)
                    count.add(1, ordering: .relaxed)
                }
            }
        }
    }

    package func stop() { isOver.store(true, ordering: .relaxed) }
}
