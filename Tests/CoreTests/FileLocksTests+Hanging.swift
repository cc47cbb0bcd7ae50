import CredentialCore
import Foundation
import System
import Testing

extension FileLocksTests {
    @Test("gives up a call that never returns, and makes no other one")
    func hanging() async {
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            let locks = FileLocks(in: { LockDirectory(in: folder) }, by: { _ in while true { pause() } })
            var threads: [Int] = []
            for _ in 0..<3 {
                #expect(throws: (any Error).self) {
                    try locks.acquire(.keyringPassword, within: 60_000, whileWaiting: { true })
                }
                threads.append(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count)
            }
            #expect(threads.allSatisfy { $0 == threads[0] }, "\(threads)")
        }
    }
}
