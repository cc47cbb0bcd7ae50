import Glibc
import Staging
import Synchronization
import Testing

/// An inherited copy of a socket keeps a stopped stand-in's port open, and its next client waits forever.
@Suite("Descriptors inherited by child processes")
struct InheritanceTests {
    @Test("gives a child its standard input, output and error, and no socket")
    func child() async throws {
        let github = try await StandIn.start()
        let descriptors = try await run(["sh", "-c", "ls -l /proc/$$/fd"]).output
        #expect(descriptors.contains("0 -> ") && !descriptors.contains("socket:"))
        await github.stop()
    }

    @Test("opens every socket close-on-exec, including those of clients")
    func closeOnExec() async throws {
        let github = try await StandIn.start()
        let flags = Mutex<[Int32]>([])
        // Look while the client is connected.
        github.answer(
            .meta,
            with: .edited { body in
                flags.withLock { $0 = Self.socketFlags() }
                return body
            })
        #expect(try await Client(github: github).curl("https://api.github.com/meta").status == "200")
        // The sockets of the server, the proxy and the client.
        let found = flags.withLock { $0 }
        #expect(found.count >= 3 && found.allSatisfy { $0 & FD_CLOEXEC != 0 }, "\(found)")
        await github.stop()
    }

    /// The F_GETFD flags of every open socket of this process.
    private static func socketFlags() -> [Int32] {
        (0..<Int32(1_024)).compactMap { descriptor in
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            let flags = fcntl(descriptor, F_GETFD)
            return flags < 0 ? nil : flags
        }
    }
}
