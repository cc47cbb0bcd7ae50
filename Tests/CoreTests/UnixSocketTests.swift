import Glibc
import System
import Testing

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
