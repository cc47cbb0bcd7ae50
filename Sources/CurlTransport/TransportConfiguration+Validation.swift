internal import CredentialCore
internal import Glibc
internal import OAuth
internal import System

extension TransportConfiguration {
    /// Finds errors that libcurl would report late or misleadingly.
    ///
    /// - Throws: `.misconfigured`, which names the setting and contains no password.
    func validate() throws(TransportError) {
        if let caFile { try Self.require(caFile, .regular, .certificateFile) }
        if let caDirectory { try Self.require(caDirectory, .directory, .certificateDirectory) }
        guard let proxy, let schemeEnd = proxy.utf8.firstRange(of: "://".utf8)?.lowerBound else { return }
        let scheme = proxy[..<schemeEnd].lowercased()
        guard ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme) else {
            throw .misconfigured(.proxyScheme(DisplayText(own: Redaction.redacted(proxy))))
        }
    }

    /// A relative path would depend on the repository in which git is run.
    private static func require(_ path: String, _ kind: FileStatus.Kind, _ setting: Misconfiguration.Setting)
        throws(TransportError)
    {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw .misconfigured(.relativePath(setting, path))
        }
        guard FileStatus(path)?.kind == kind, access(path, R_OK) == 0 else {
            throw .misconfigured(.unreadable(setting, path))
        }
    }
}
