import Glibc
import System
import Testing

extension UnixSocketTests {
    @Test("trusts no user without an ID here, even if we have none", .enabled(if: geteuid() == 0, "needs root"))
    func nobody() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            #expect(setuid(65_534) == 0 && socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            #expect(UnixSocket.stranger(at: ends[0]) == 65_534)
        }
    }
}
