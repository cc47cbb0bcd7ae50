import CLibseccomp
import Foundation
import Glibc
import Helper
import Providers
import Sandbox
import Testing
import UserInterface

/// Each test runs in its own process, because a process cannot take back what it has given up.
@Suite("Confined processes")
struct ConfinementTests {
    /// Returns 0, or the `errno` of a connection.
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
        "denies the person's files, other ports, the bus, other processes and programs, but not the libraries",
        .enabled(if: (Confinement.landlockVersion ?? 0) >= 6, "needs Landlock with signals (Linux 6.12)"))
    func all() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/confinement-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            let (secret, allowed) = (folder + "/.gitconfig", folder + "/authority.pem")
            for file in [secret, allowed] { try Data("x".utf8).write(to: URL(filePath: file)) }
            let parent = getppid()
            // The kernel completes connections without accept(2).
            let address = RedirectAddress(.loopbackAddress, path: "/")
            let servers = [try LoopbackListener(at: address), try LoopbackListener(at: address)]
            let (host, other) = (servers[0].port, servers[1].port)
            #expect(Self.connecting(to: other) == 0 && Self.opening(secret) == 0)
            try Confinement.begin(readable: Confinement.libraries + [allowed], ports: [host], endingUnlisted: false)

            #expect(Self.opening(secret) == EACCES && Self.opening(folder, O_RDONLY | O_DIRECTORY) == EACCES)
            #expect(Self.opening(allowed) == 0 && Self.opening("/etc/hosts") == 0)
            #expect(Self.opening(allowed, O_WRONLY) == EPERM)
            #expect(Self.opening(folder + "/new", O_WRONLY | O_CREAT) == EPERM)
            #expect(Self.opening("/proc/self/environ") == EACCES)
            #expect(Self.connecting(to: host) == 0 && Self.connecting(to: other) == EACCES)
            #expect(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) == -1 && errno == EACCES)
            #expect(kill(parent, 0) == -1 && errno == EPERM)
            #expect(kill(-1, 0) == -1 && errno == EPERM)
            // Landlock does not check MPTCP as TCP, and a descriptor can send signals.
            #expect(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 262) == -1 && errno == EPERM)
            #expect(fcntl(servers[0].descriptors[0], F_SETOWN, parent) == -1 && errno == EPERM)
            #expect(setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(parent), 19) == -1 && errno == EPERM)
            var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
            #expect(execv("/bin/true", &arguments) == -1 && errno == EPERM)
            #expect(listen(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), 1) == -1 && errno == EPERM)
            withExtendedLifetime(servers) {}
        }
    }

    /// Makes a system call by its name, and returns 0 or its `errno`.
    private static func calling(_ name: String, _ arguments: [Argument]) -> Int32 {
        typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
        let number = Int(seccomp_syscall_resolve_name(name))
        guard let symbol = dlsym(nil, "syscall"), number != Int(__NR_SCMP_ERROR) else { return -1 }
        // The call does not exist on this architecture.
        guard number >= 0 else { return EPERM }
        let words = arguments.map(\.word) + [0, 0, 0, 0, 0, 0]
        let call = unsafeBitCast(symbol, to: Call.self)
        return call(number, words[0], words[1], words[2], words[3], words[4], words[5]) < 0 ? errno : 0
    }

    private enum Argument: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
        case number(Int)
        case text(String)
        /// A buffer of this size for the kernel's answer.
        case room(Int)

        init(integerLiteral value: Int) { self = .number(value) }
        init(stringLiteral value: String) { self = .text(value) }

        /// The argument as the kernel takes it, which is never freed.
        var word: Int {
            switch self {
            case .number(let value): value
            case .text(let text): Int(bitPattern: strdup(text))
            case .room(let count): Int(bitPattern: calloc(1, count))
            }
        }
    }

    /// The forbidden calls, with arguments that would change nothing if they were allowed.
    private static func forbidden(_ file: String) -> [(name: String, arguments: [Argument], error: Int32)] {
        let (path, parent) = (Argument.text(file), Argument.number(Int(getppid())))
        return [
            // Calls on files, many of which Landlock does not check.
            ("chmod", [path, 0o600], EPERM), ("fchmodat", [-100, path, 0o600], EPERM), ("fchmod", [2, 0o600], EPERM),
            ("chown", [path, -1, -1], EPERM), ("fchownat", [-100, path, -1, -1, 0], EPERM),
            ("setxattr", [path, "user.gitspace", "1", 1, 0], EPERM), ("removexattr", [path, "user.gitspace"], EPERM),
            ("getxattr", [path, "user.x", 0], EPERM), ("utimensat", [-100, path, 0, 0], EPERM),
            ("truncate", [path, 1], EPERM), ("ftruncate", [2, 1], EPERM),
            ("unlinkat", [-100, .text(file + "-"), 0], EPERM), ("newfstatat", [-100, path, .room(256), 0], EACCES),
            ("stat", [path, .room(256)], EACCES), ("lstat", [path, .room(256)], EACCES), ("access", [path, 0], EACCES),
            ("faccessat", [-100, path, 0], EACCES), ("statx", [-100, path, 0, 0, .room(512)], EPERM),
            ("statfs", [path, .room(256)], EPERM), ("readlinkat", [-100, path, .room(8), 8], EPERM),
            ("openat", [-100, path, 0o10_000_000], EPERM), ("inotify_init1", [0], EPERM),
            ("fanotify_init", [0, 0], EPERM), ("chdir", ["/"], EPERM), ("memfd_create", ["x", 0], EPERM),
            // Calls that reach other programs.
            ("socketpair", [1, 2, 0, .room(8)], EACCES), ("socket", [1, 2, 0], EACCES), ("socket", [16, 3, 0], EACCES),
            ("socket", [2, 3, 1], EPERM), ("bind", [2, .room(16), 16], EPERM),
            ("sendto", [2, "x", 1, 0, .room(16), 16], EPERM), ("kill", [parent, 0], EPERM),
            ("tgkill", [parent, parent, 0], EPERM), ("ptrace", [16, parent], EPERM),
            ("pidfd_open", [parent, 0], EPERM),
            // A key for the terminal (TIOCSTI), and a connection by the first message (MSG_FASTOPEN).
            ("ioctl", [-1, 0x5412, "x"], EPERM), ("sendmsg", [-1, .room(64), 0x2000_0000], EPERM),
            ("prlimit64", [0, 7, 0, .room(16)], EPERM), ("sched_setaffinity", [0, 8, .room(8)], EPERM),
            ("shmget", [0, 1, 0o1600], EPERM), ("shmctl", [0, 14, .room(256)], EPERM),
            ("msgctl", [0, 12, .room(256)], EPERM), ("semctl", [0, 0, 19, .room(256)], EPERM),
            ("keyctl", [0, -3, 0], EPERM),
            // Calls that change the process: its end with its parent, new processes, threads and programs, new code.
            ("prctl", [1, 0, 0, 0, 0], EPERM), ("clone", [17], EACCES), ("clone", [0x3D_0F00], EACCES),
            ("clone3", [.room(88), 88], ENOSYS), ("fork", [], EPERM), ("vfork", [], EPERM),
            ("execve", ["/bin/true", 0, 0], EPERM), ("mprotect", [0, 0, 4], EPERM),
            ("pkey_mprotect", [0, 0, 4, -1], EPERM), ("mmap", [0, 4_096, 7, 0x22, -1, 0], EPERM),
            ("setuid", [.number(Int(getuid()))], EPERM), ("setsid", [], EPERM), ("seccomp", [0, 0, 0], EPERM),
            // Calls that change the machine if root makes them.
            ("chroot", ["/"], EPERM), ("sethostname", ["x", -1], EPERM), ("settimeofday", [0, 0], EPERM),
            ("clock_settime", [0, 0], EPERM), ("unshare", [0], EPERM), ("mount", [0, "/", 0, 0x20, 0], EPERM),
            ("io_uring_setup", [1, .room(120)], EPERM), ("userfaultfd", [0], EPERM), ("bpf", [0], EPERM),
        ]
    }

    /// The capability sets of a process, by their names in proc_pid_status(5).
    private static func capabilities(_ status: Int32) -> [Substring: UInt64] {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = pread(status, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").reduce(into: [:]) {
            let words = $1.split(separator: ":\t")
            if words.count == 2, words[0].hasPrefix("Cap") { $0[words[0]] = UInt64(words[1], radix: 16) }
        }
    }

    @Test(
        "fails each unlisted call on files, other programs, the process and the machine",
        .enabled(if: Confinement.landlockVersion != nil, "needs Landlock (Linux 5.13)"))
    func calls() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/calls-\(UUID().uuidString)"
        try Data("x".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        await #expect(processExitsWith: .success) { [file = file as String] in
            let forbidden = Self.forbidden(file)
            let status = open("/proc/thread-self/status", O_RDONLY)
            let before = Self.capabilities(status)
            try Confinement.begin(readable: Confinement.libraries, ports: [], endingUnlisted: false)
            for (name, arguments, error) in forbidden {
                let result = Self.calling(name, arguments)
                #expect(result == error, "\(name): \(result), not \(error)")
            }
            // A readable file may be examined.
            #expect(FileManager.default.isReadableFile(atPath: "/etc/hosts"))
            #expect(Self.calling("newfstatat", [-100, "/etc/hosts", .room(256), 0]) == 0)
            // An open file may be examined. glibc before 2.39 uses this call for fstat(3).
            #expect(Self.calling("newfstatat", [2, "", .room(256), 0x1000]) == 0)
            var sets = Self.capabilities(status)
            // Only a process with CAP_SETPCAP, 8 in <linux/capability.h>, may lower the bounding set.
            let isLowered = (before["CapEff"] ?? 0) & 1 << 8 != 0
            #expect(sets.removeValue(forKey: "CapBnd") == (isLowered ? 0 : before["CapBnd"]), "\(before)")
            #expect(sets.count == 4 && sets.values.allSatisfy { $0 == 0 }, "\(sets)")
        }
    }

    @Test("ends the process at an unlisted call if the list is strict")
    func unlisted() async {
        await #expect(processExitsWith: .signal(SIGSYS)) {
            try Confinement.begin(readable: Confinement.libraries, ports: [], endingUnlisted: true)
            _ = Self.calling("chdir", ["/"])
        }
    }

    @Test("ends the process beyond its memory limit, and never lets it write a file")
    func limits() async {
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.path + "/limits-\(UUID().uuidString)"
            let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
            unlink(file)
            signal(SIGXFSZ, SIG_IGN)
            try Confinement.begin(readable: [], ports: [], endingUnlisted: false)
            #expect(write(descriptor, "x", 1) == -1 && errno == EFBIG)
            let size = 512 << 20
            // MAP_GROWSDOWN of <linux/mman.h>.
            for kind in [MAP_PRIVATE, MAP_SHARED, MAP_PRIVATE | 0x100] {
                #expect(mmap(nil, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
            }
        }
    }
}
