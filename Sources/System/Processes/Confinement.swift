internal import CProcess
internal import Glibc

/// What a process that reads somebody else's bytes keeps; everything else it gives up for good.
package struct Confinement {
    /// Files, and folders with all that is below them; what is not there is left out.
    package var readable: [String]
    /// Of TCP, to which it may connect.
    package var ports: [UInt16]

    package init(readable: [String], ports: [UInt16]) {
        self.readable = readable
        self.ports = ports
    }

    /// In bytes, with the stacks of its threads.
    private static let memory: UInt = 256 << 20
    private static let files: UInt = 64
    /// Of a processor: enough for some terabytes.
    private static let seconds: UInt = 36_000

    /// The version of Landlock's ABI; nil where the kernel has none.
    package static var landlockVersion: Int? {
        let version = gitspace_landlock_version()
        return version > 0 ? version : nil
    }

    /// What the resolver, the C library and the TLS library read, on the systems that we know.
    package static let libraries = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
        "/etc/protocols", "/etc/ld.so.cache", "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies",
        "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/var/lib/ca-certificates", "/usr/lib/ssl",
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/dev/urandom", "/dev/null",
    ]

    /// From now on, for this process and its threads; before it has a second thread.
    ///
    /// - Throws: what the kernel refused. A kernel without Landlock refuses nothing.
    package func begin() throws(Errno) {
        try Errno.check(gitspace_limit_resources(Self.memory, Self.files, Self.seconds))
        try Errno.check(gitspace_gain_nothing())
        if let version = Self.landlockVersion { try enforce(version) }
        try Errno.check(gitspace_filter_calls(getpid()))
    }

    /// For a process of which there are many: most of the code that it has in its memory was needed once, and what it needs
    /// again the kernel still has.
    package static func releaseCode() { gitspace_release_code() }

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
