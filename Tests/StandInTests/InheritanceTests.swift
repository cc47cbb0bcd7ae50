import FoundationEssentials
import StandIn
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

    @Test("the listening socket is closed on exec, for programs that are started in other ways")
    func closeOnExec() async throws {
        let github = try await StandIn.start()
        // proc(5): the second field is the address with the port in hexadecimal, the tenth the socket's inode.
        let hexadecimal = String(github.port, radix: 16, uppercase: true)
        let port = ":" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        let table = try await ChildProcess.running(["cat", "/proc/self/net/tcp"]).outputText
        let sockets = table.split(separator: "\n").map { $0.split(separator: " ") }
        let inode = try #require(sockets.first { $0[1].hasSuffix(port) && $0[3] == "0A" })[9]
        let descriptor = try #require(
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                return target == "socket:[\(inode)]"
            })
        let information = try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
        let flags = try #require(
            information.split(separator: "\n").first { $0.hasPrefix("flags:") }?.split(separator: "\t").last)
        #expect(try #require(Int(flags, radix: 8)) & 0o2_000_000 != 0, "O_CLOEXEC in \(flags)")
        await github.stop()
    }
}
