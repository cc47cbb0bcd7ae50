internal import CLibseccomp
internal import Glibc
package import System

/// The rights that a process keeps when it begins to read untrusted bytes.
package struct Confinement {
    /// Files, and folders with their content; missing ones are left out.
    package var readable: [String]
    /// TCP ports to which the process may connect.
    package var ports: [UInt16]

    package init(readable: [String], ports: [UInt16]) {
        self.readable = readable
        self.ports = ports
    }

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
    /// - Throws: the kernel's error; a kernel without Landlock is no error.
    package func begin(endingUnlisted: Bool = endsUnlistedCalls) throws(Errno) {
        try Errno.check(gitspace_limit_resources(Self.addressSpace + Self.memory, Self.files, Self.seconds))
        try Errno.check(gitspace_gain_nothing())
        try Errno.check(gitspace_drop_capabilities())
        if let version = Self.landlockVersion { try enforce(version) }
        try CallFilter.begin(endingUnlisted: endingUnlisted)
    }

    /// The current size in bytes (proc_pid_statm(5)); enough for a program if it cannot be read.
    private static var addressSpace: UInt {
        let sizes = FileReader.beginning(of: "/proc/self/statm", atMost: 256) ?? []
        let pages = UInt(String(decoding: sizes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
        return pages.map { $0 * UInt(sysconf(Int32(_SC_PAGESIZE))) } ?? 512 << 20
    }

    private func enforce(_ version: Int) throws(Errno) {
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
