internal import CLibseccomp
internal import Glibc
package import System

/// The rights that a process keeps when it begins to read untrusted bytes.
package enum Confinement {
    /// Bytes of address space beyond the initial size; shared mappings count as well.
    private static let memory: UInt = 128 << 20
    private static let files: UInt = 64
    /// Seconds of processor time, enough for some terabytes.
    private static let seconds: UInt = 36_000

    /// `nil` if the kernel has no Landlock.
    package static var landlockVersion: Int? {
        let version = gitspace_landlock_version()
        return version > 0 ? version : nil
    }

    /// The files that the resolver, the C library and the TLS library read on known systems.
    package static let libraries = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
        "/etc/protocols", "/etc/ld.so.cache", "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies",
        "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/var/lib/ca-certificates", "/usr/lib/ssl",
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/dev/urandom", "/dev/null",
    ]

    /// A debug build, which the tests run, ends at a call that is missing on the list.
    #if DEBUG
        package static let endsUnlistedCalls = true
    #else
        package static let endsUnlistedCalls = false
    #endif

    /// Confines this process, which has one thread and can start no other.
    ///
    /// `readable` are files, and folders with their content, of which missing ones are left out; `ports` are TCP ports to
    /// which the process may connect.
    ///
    /// - Throws: the kernel's error; a kernel without Landlock is no error.
    package static func begin(
        readable: [String], ports: [UInt16], endingUnlisted: Bool = endsUnlistedCalls
    ) throws(Errno) {
        try Errno.check(gitspace_limit_resources(addressSpace + memory, files, seconds))
        try Errno.check(gitspace_gain_nothing())
        try Errno.check(gitspace_drop_capabilities())
        if let version = landlockVersion { try enforce(version, readable, ports) }
        try CallFilter.begin(endingUnlisted: endingUnlisted)
    }

    /// The current size in bytes (proc_pid_statm(5)); enough for a program if it cannot be read.
    private static var addressSpace: UInt {
        let sizes = FileReader.beginning(of: "/proc/self/statm", atMost: 256) ?? []
        let pages = UInt(String(decoding: sizes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
        return pages.map { $0 * UInt(sysconf(Int32(_SC_PAGESIZE))) } ?? 512 << 20
    }

    private static func enforce(_ version: Int, _ readable: [String], _ ports: [UInt16]) throws(Errno) {
        guard let rules = FileDescriptor(gitspace_landlock_ruleset(version)) else { throw .last }
        for path in readable {
            guard let status = FileStatus(path) else { continue }
            try Errno.check(gitspace_landlock_read(rules.number, path, status.kind == .directory ? 1 : 0))
        }
        if version >= 4 {
            for port in ports { try Errno.check(gitspace_landlock_connect(rules.number, port)) }
        }
        try Errno.check(gitspace_landlock_enforce(rules.number))
    }
}

/// The system calls that a confined process may make (seccomp(2)): for memory, open descriptors, files that Landlock
/// allows, and connections by TCP and UDP.
private enum CallFilter {
    private typealias Limit = scmp_arg_cmp

    private static let allowed = [
        "read", "readv", "pread64", "write", "writev", "close", "fstat", "lseek", "poll", "ppoll", "connect",
        "recvfrom", "shutdown", "getsockname", "getpeername", "getsockopt", "eventfd2", "brk", "munmap", "mremap",
        "madvise", "mlock", "munlock", "futex", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "restart_syscall",
        "clock_gettime", "gettimeofday", "time", "getrandom", "getpid", "gettid", "getuid", "geteuid", "getgid",
        "getegid", "uname", "sysinfo", "exit", "exit_group",
    ]

    /// Calls that this program answers instead of the kernel.
    private static let answered = ["newfstatat", "stat", "lstat", "faccessat", "access"]

    /// Calls that libraries try, and do not depend on.
    private static let expected: [(name: String, limits: [Limit], error: Int32)] = [
        // glibc tries clone after clone3. `NameLookup` looks names up before libcurl would start a thread for it.
        ("clone3", [], ENOSYS), ("clone", [], EACCES), ("socketpair", [], EACCES),
        ("socket", [equal(0, UInt64(AF_UNIX))], EACCES), ("socket", [equal(0, UInt64(AF_NETLINK))], EACCES),
    ]

    /// Calls that are allowed if all limits of one of their rules hold.
    private static var limited: [(name: String, limits: [Limit])] {
        var rules: [(name: String, limits: [Limit])] = [
            ("openat", [without(2, O_ACCMODE | O_CREAT | O_TRUNC | FileDescriptor.pathOnly | temporary)]),
            // Memory is never both writable and executable, and all code comes from files.
            ("mmap", [without(2, PROT_EXEC)]),
            ("mmap", [bits(2, PROT_EXEC | PROT_WRITE, equal: PROT_EXEC), without(3, MAP_ANONYMOUS)]),
            ("mprotect", [without(2, PROT_EXEC)]),
            // A send to an address, or with MSG_FASTOPEN, would bypass Landlock's check of connect(2).
            ("sendto", [Limit(arg: 4, op: SCMP_CMP_EQ, datum_a: 0, datum_b: 0)]),
            ("sendmsg", [without(2, fastOpen)]), ("sendmmsg", [without(3, fastOpen)]),
            // abort(3) signals the own process.
            ("tgkill", [equal(0, UInt64(getpid()))]),
            // The resolver uses FIONREAD.
            ("ioctl", [equal(1, 0x541B)]),
        ]
        for command in [F_GETFD, F_SETFD, F_GETFL, F_SETFL] { rules.append(("fcntl", [equal(1, UInt64(command))])) }
        // MPTCP is left out because Landlock does not count it as TCP.
        let kinds = [(SOCK_STREAM, 0), (SOCK_STREAM, IPPROTO_TCP), (SOCK_DGRAM, 0), (SOCK_DGRAM, IPPROTO_UDP)]
        for (family, (kind, number)) in [AF_INET, AF_INET6].flatMap({ family in kinds.map { (family, $0) } }) {
            let limits = [
                equal(0, UInt64(family)), bits(1, 0xF, equal: Int32(kind.rawValue)), equal(2, UInt64(number)),
            ]
            rules.append(("socket", limits))
        }
        let options: [(level: Int, names: [Int32])] = [
            (Int(SOL_SOCKET), [SO_KEEPALIVE]), (IPPROTO_TCP, [TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT]),
            // The resolver asks for errors that the network reports.
            (IPPROTO_IP, [IP_RECVERR]), (IPPROTO_IPV6, [IPV6_RECVERR]),
        ]
        for (level, names) in options {
            for name in names { rules.append(("setsockopt", [equal(1, UInt64(level)), equal(2, UInt64(name))])) }
        }
        return rules
    }

    /// __O_TMPFILE and MSG_FASTOPEN, which glibc does not declare for Swift.
    private static let temporary: Int32 = 0o20_000_000
    private static let fastOpen: Int32 = 0x2000_0000

    /// Compares the lower 32 bits: the kernel ignores the others in an argument of this width.
    private static func equal(_ argument: UInt32, _ value: UInt64) -> Limit {
        Limit(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: 0xFFFF_FFFF, datum_b: value)
    }

    private static func bits(_ argument: UInt32, _ mask: Int32, equal value: Int32) -> Limit {
        Limit(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(mask), datum_b: UInt64(value))
    }

    private static func without(_ argument: UInt32, _ mask: Int32) -> Limit { bits(argument, mask, equal: 0) }

    /// SCMP_ACT_ERRNO of <seccomp.h>.
    private static func failure(_ error: Int32) -> UInt32 { 0x0005_0000 | UInt32(error) }

    /// Applies the list to this thread; a call that is not on it fails, or ends the process.
    static func begin(endingUnlisted: Bool) throws(Errno) {
        guard let context = seccomp_init(endingUnlisted ? SCMP_ACT_KILL_PROCESS : failure(EPERM)) else {
            throw Errno(number: ENOMEM)
        }
        defer { seccomp_release(context) }
        // A call by another architecture's numbers, such as x32 on x86-64, ends the process.
        try check(seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS))
        for name in allowed { try add(name, [], SCMP_ACT_ALLOW, to: context) }
        for name in answered { try add(name, [], SCMP_ACT_TRAP, to: context) }
        for rule in limited { try add(rule.name, rule.limits, SCMP_ACT_ALLOW, to: context) }
        for rule in expected { try add(rule.name, rule.limits, failure(rule.error), to: context) }
        try Errno.check(gitspace_answer_calls())
        try check(seccomp_load(context))
    }

    /// Leaves out a name that libseccomp knows only for another architecture.
    private static func add(
        _ name: String, _ limits: [Limit], _ action: UInt32, to context: scmp_filter_ctx
    ) throws(Errno) {
        let call = seccomp_syscall_resolve_name(name)
        guard call != __NR_SCMP_ERROR else { throw Errno(number: ENOSYS) }
        guard call >= 0 else { return }
        try check(seccomp_rule_add_array(context, action, call, UInt32(limits.count), limits))
    }

    private static func check(_ result: Int32) throws(Errno) { guard result == 0 else { throw Errno(number: -result) } }
}
