import Glibc
import System
import Testing

@Suite("A connection to a Unix socket")
struct UnixSocketTests {
    @Test("a path that no address has room for is not a listener that has gone")
    func tooLong() {
        let path = Array("/nonexistent/".utf8) + [UInt8](repeating: 0x78, count: 95)
        for (path, number) in [(path.dropLast(), ENOENT), (path[...], ENAMETOOLONG)] {
            errno = ECONNREFUSED
            let isConnected = UnixSocket.connected(to: .path(Array(path)), timeLeft: { 1_000 }) != nil
            #expect(errno == number && !isConnected)
        }
    }
}
