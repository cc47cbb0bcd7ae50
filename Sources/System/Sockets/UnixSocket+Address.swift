internal import Glibc

extension UnixSocket {
    /// Where somebody listens.
    package enum Address: Equatable {
        /// In the file system.
        case path([UInt8])
        /// In Linux's abstract namespace.
        case abstract([UInt8])
    }

    /// `sockaddr_un` has room for 108 bytes, one of which ends the path, or begins the abstract name.
    package static let longestName = 107
}

extension UnixSocket.Address {
    /// Calls with the address as bind(2) and connect(2) take it.
    ///
    /// - Parameter call: gets the bytes of a `sockaddr_un` up to the end of the name.
    /// - Returns: what it returned; -1 for a name that is too long, and `errno` says so.
    package func withBytes(_ call: (UnsafeRawBufferPointer) -> Int32) -> Int32 {
        // An abstract name begins with a NUL and has no end but its length.
        let name: [UInt8]
        switch self {
        case .path(let path): name = path + [0]
        case .abstract(let abstract): name = [0] + abstract
        }
        guard name.count <= UnixSocket.longestName + 1 else {
            errno = ENAMETOOLONG
            return -1
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + name.count
        return withUnsafeBytes(of: &address) { call(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
    }
}
