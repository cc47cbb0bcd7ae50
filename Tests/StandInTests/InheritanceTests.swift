import Glibc
import StandIn
import Synchronization
import Testing

/// A program that holds a copy of a socket keeps a stopped stand-in's port open, and its next client waits for ever.
@Suite("Nothing open is inherited by the programs that tests start")
struct InheritanceTests {
    @Test("a child has its standard input, output and error, and no socket")
    func child() async throws {
        let github = try await StandIn.start()
        let descriptors = try await ChildProcess.running(["sh", "-c", "ls -l /proc/$$/fd"]).outputText
        #expect(descriptors.contains("0 -> ") && !descriptors.contains("socket:"))
        await github.stop()
    }

    @Test("every socket, a client's as well, is closed on exec from the moment that it is there")
    func closeOnExec() async throws {
        let github = try await StandIn.start()
        let flags = Mutex<[Int32]>([])
        // This runs while the client is connected.
        github.answer(
            .meta,
            with: .edited { body in
                flags.withLock { $0 = Self.socketFlags() }
                return body
            })
        #expect(try await Client(github: github).curl("https://api.github.com/meta").status == "200")
        // The server's, the proxy's, the client's.
        let found = flags.withLock { $0 }
        #expect(found.count >= 3 && found.allSatisfy { $0 & FD_CLOEXEC != 0 }, "\(found)")
        await github.stop()
    }

    /// F_GETFD of every socket that this process has open.
    private static func socketFlags() -> [Int32] {
        (0..<Int32(1_024)).compactMap { descriptor in
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            let flags = fcntl(descriptor, F_GETFD)
            return flags < 0 ? nil : flags
        }
    }
}
