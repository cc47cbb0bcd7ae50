import Foundation
import Glibc
import System
import Testing

/// In a process of its own: what is given up is given up for good.
@Suite("Processes: what one has given up")
struct ConfinementTests {
    /// A server on the loopback, which a connection finds listening.
    private static func listeningPort(_ servers: inout [Int32]) -> UInt16 {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        servers.append(server)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            bind(server, pointer, length)
            listen(server, 8)
            if let pointer { getsockname(server, pointer, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// 0, or the reason of the failure.
    private static func connecting(to port: UInt16) -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard client >= 0 else { return errno }
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        let result = withUnsafeBytes(of: &address) {
            connect(
                client, $0.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        return result == 0 ? 0 : errno
    }

    private static func opening(_ path: String, _ flags: Int32 = O_RDONLY) -> Int32 {
        let file = open(path, flags, 0o600)
        guard file < 0 else {
            close(file)
            return 0
        }
        return errno
    }

    @Test(
        "the person's files, other ports, the bus, other processes and programs are out of reach; the libraries are not",
        .enabled(if: (Confinement.landlockVersion ?? 0) >= 6, "needs Landlock with signals (Linux 6.12)"))
    func all() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/confinement-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            let (secret, allowed) = (folder + "/.gitconfig", folder + "/authority.pem")
            for file in [secret, allowed] { try Data("x".utf8).write(to: URL(filePath: file)) }
            var servers: [Int32] = []
            let (host, other) = (Self.listeningPort(&servers), Self.listeningPort(&servers))
            #expect(Self.connecting(to: other) == 0 && Self.opening(secret) == 0)
            try Confinement(readable: Confinement.libraries + [allowed], ports: [host]).begin()

            #expect(Self.opening(secret) == EACCES && Self.opening(folder, O_RDONLY | O_DIRECTORY) == EACCES)
            #expect(Self.opening(allowed) == 0 && Self.opening("/etc/hosts") == 0)
            #expect(Self.opening(allowed, O_WRONLY) == EACCES)
            #expect(Self.opening(folder + "/new", O_WRONLY | O_CREAT) == EACCES)
            #expect(Self.opening("/proc/self/environ") == EACCES)
            #expect(Self.connecting(to: host) == 0 && Self.connecting(to: other) == EACCES)
            #expect(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) == -1 && errno == EACCES)
            #expect(kill(getppid(), 0) == -1 && errno == EPERM)
            #expect(kill(-1, 0) == -1 && errno == EPERM)
            #expect(kill(getpid(), 0) == 0)
            // MPTCP is no TCP for Landlock, and a descriptor can send signals.
            #expect(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 262) == -1 && errno == EACCES)
            #expect(fcntl(servers[0], F_SETOWN, getppid()) == -1 && errno == EPERM)
            #expect(setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getppid()), 19) == -1 && errno == EPERM)
            var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
            #expect(execv("/bin/true", &arguments) == -1 && errno == EPERM)
            #expect(listen(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), 1) == -1 && errno == EPERM)
            servers.forEach { close($0) }
        }
    }

    @Test("code that has run is let go of, and comes back where it is needed")
    func releasedCode() async {
        await #expect(processExitsWith: .success) {
            func resident() throws -> Int {
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
                return try #require(Int(line.filter(\.isNumber)))
            }
            let before = try resident()
            Confinement.releaseCode()
            let after = try resident()
            #expect(after < before / 2, "\(before) kB, then \(after) kB")
        }
    }

    @Test("more memory than it may have ends it, and a file of its own is never written")
    func limits() async {
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.path + "/limits-\(getpid())"
            let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
            unlink(file)
            signal(SIGXFSZ, SIG_IGN)
            try Confinement(readable: [], ports: []).begin()
            #expect(write(descriptor, "x", 1) == -1 && errno == EFBIG)
            let size = 512 << 20
            #expect(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
        }
    }
}
