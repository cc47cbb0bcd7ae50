internal import CredentialCore
internal import Glibc
internal import OAuth

/// What a person has configured about the way out, resolved by the caller from git's `http.*` and its variables.
///
/// There is deliberately no field that would switch verification off.
package struct TransportSettings {
    /// The proxy as in git's `http.proxy`; empty for none, nil for what https_proxy and all_proxy say.
    ///
    /// `[scheme://][user[:password]@]host[:port]`, with http, https, socks4, socks4a, socks5 or socks5h.
    package var proxy: String?
    /// Hosts that are reached without the proxy, with commas between them; nil for what no_proxy says.
    package var noProxy: String?
    /// A file of certificates to trust in place of the system's bundle: `http.sslCAInfo`, GIT_SSL_CAINFO, SSL_CERT_FILE.
    ///
    /// The system's directory stays trusted, as it does in git.
    package var caFile: String?
    /// A directory of hash links to trust in place of the system's: `http.sslCAPath`, GIT_SSL_CAPATH, SSL_CERT_DIR.
    ///
    /// The system's bundle stays trusted, as it does in git.
    package var caPath: String?
    /// The product that introduces itself to the server.
    package var userAgent: String

    /// Settings; without arguments, those of somebody who has configured nothing.
    package init(
        proxy: String? = nil, noProxy: String? = nil, caFile: String? = nil, caPath: String? = nil,
        userAgent: String = "git-credential-gitspace"
    ) {
        self.proxy = proxy
        self.noProxy = noProxy
        self.caFile = caFile
        self.caPath = caPath
        self.userAgent = userAgent
    }

    /// Finds what libcurl would report late or in the wrong words.
    ///
    /// - Throws: `.misconfigured`, which names the setting and holds no password.
    func validate() throws(TransportError) {
        if let caFile { try Self.require(caFile, S_IFREG, .certificateFile) }
        if let caPath { try Self.require(caPath, S_IFDIR, .certificateDirectory) }
        guard let proxy, let schemeEnd = proxy.utf8Range(of: "://")?.lowerBound else { return }
        let scheme = proxy[..<schemeEnd].lowercased()
        guard ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme) else {
            throw .misconfigured(.proxyScheme(DisplayText(own: TraceText.redacted(proxy))))
        }
    }

    /// A relative path would depend on the repository in which git happens to run.
    private static func require(_ path: String, _ kind: mode_t, _ place: Misconfiguration.Place) throws(TransportError)
    {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw .misconfigured(.relativePath(place, path))
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == kind, access(path, R_OK) == 0 else {
            throw .misconfigured(.unreadable(place, path))
        }
    }
}
