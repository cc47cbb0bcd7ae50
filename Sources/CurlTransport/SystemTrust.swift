internal import CLibcurl
internal import Glibc

/// The certificates that the system trusts, in the two forms in which libcurl can read them.
package struct SystemTrust {
    /// All certificates in one file, which is parsed whole for each connection: some 16 ms.
    package var bundle: String?
    /// A directory of certificates.
    package var directory: String?
    /// Whether the TLS library finds a certificate in the directory by its hash, without reading the others.
    package var isDirectoryHashed: Bool

    /// Certificates in these places.
    package init(bundle: String?, directory: String?, isDirectoryHashed: Bool) {
        self.bundle = bundle
        self.directory = directory
        self.isDirectoryHashed = isDirectoryHashed
    }

    /// The places that were built into libcurl.
    ///
    /// Of the TLS libraries that it may come with, only OpenSSL goes by the hash links.
    package static func installed() -> SystemTrust {
        guard let version = gitspace_curl_version()?.pointee else {
            return SystemTrust(bundle: nil, directory: nil, isDirectoryHashed: false)
        }
        let isOpenSSL = version.ssl_version.map { String(cString: $0).hasPrefix("OpenSSL/") } ?? false
        let directory = version.capath.map { String(cString: $0) }
        return SystemTrust(
            bundle: version.cainfo.map { String(cString: $0) }, directory: directory,
            isDirectoryHashed: isOpenSSL && directory.map(hasHashLinks) ?? false)
    }

    /// Whether a name such as `5f618aec.0` is there, as `openssl rehash` makes them.
    private static func hasHashLinks(_ directory: String) -> Bool {
        guard let stream = opendir(directory) else { return false }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let isHashLink = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                name.prefix(8).allSatisfy { isxdigit(Int32($0)) != 0 } && name[8] == UInt8(ascii: ".")
                    && isdigit(Int32(name[9])) != 0
            }
            if isHashLink { return true }
        }
        return false
    }
}
