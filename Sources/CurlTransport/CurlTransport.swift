internal import CLibcurl
package import CredentialCore
internal import Glibc
package import Providers
internal import System

/// HTTPS through libcurl: verified, without redirects, with one connection for each host.
///
/// A host's connection stays open between requests, so that polling costs no handshake. Must not be used by several
/// threads at once.
package final class CurlTransport: Transport {
    private let configuration: TransportConfiguration
    private let userAgent: String
    private let timeouts: TransportTimeouts
    private let uptimeMilliseconds: () -> Int64
    private let isInterrupted: () -> Bool
    private let password: (Request) -> Secret?
    private let startsThreads: Bool
    private let trace: ((String) -> Void)?
    private var sessions: [String: HostSession] = [:]

    /// The first request starts libcurl.
    ///
    /// `uptimeMilliseconds` must not jump when the system's time is set. `isInterrupted` is called at least every 100
    /// ms. `password` asks git's helpers for the password of a proxy or client certificate. `trace` gets lines without
    /// secrets; none follows the answer to a request that cannot be interrupted, since nothing may delay saving the
    /// answer. libcurl starts a thread for each lookup of a name; without `startsThreads`, `stream` looks names up
    /// itself.
    package init(
        _ configuration: TransportConfiguration, userAgent: String, timeouts: TransportTimeouts = TransportTimeouts(),
        uptimeMilliseconds: @escaping () -> Int64, isInterrupted: @escaping () -> Bool = { false },
        password: @escaping (Request) -> Secret? = { _ in nil }, startsThreads: Bool = true,
        trace: ((String) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.userAgent = userAgent
        self.timeouts = timeouts
        self.uptimeMilliseconds = uptimeMilliseconds
        self.isInterrupted = isInterrupted
        self.password = password
        self.startsThreads = startsThreads
        self.trace = trace
    }

    /// A redirect is returned like any other response.
    ///
    /// - Throws: `.misconfigured` before anything is sent, otherwise the reason of the failure.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        // A query may contain a secret; our paths contain none.
        let path = request.address.path.prefix { $0 != "?" }
        trace?("\(request.method.rawValue) https://\(request.address.authority)\(path)")
        let session = try session(for: request.address)
        let response = try session.send(
            request, isInterrupted: request.isInterruptible ? isInterrupted : { false })
        if request.isInterruptible { trace?("status \(response.status), \(response.body.count) bytes") }
        return response
    }

    /// Sends a request with bodies of any size, and without a time limit for the whole transfer.
    ///
    /// - Throws: `.interrupted` if `bodies` ended the transfer; otherwise as `send`.
    package func stream(_ request: StreamedRequest, _ bodies: StreamedBodies) throws(TransportError) {
        try session(for: request.address).stream(request, bodies)
    }

    private func session(for address: HTTPSAddress) throws(TransportError) -> HostSession {
        if let session = sessions[address.authority] { return session }
        let session = try HostSession(
            configuration.others[address.authority] ?? configuration, userAgent: userAgent, timeouts: timeouts,
            uptimeMilliseconds: uptimeMilliseconds, password: password, startsThreads: startsThreads, trace: trace)
        sessions[address.authority] = session
        return session
    }
}

package struct TransportTimeouts {
    /// The limit from the name lookup to the end of the TLS handshake.
    package var connect: Duration
    /// The limit from the start to the last byte of the response.
    package var total: Duration
    /// The limit of silence in both directions, in whole seconds, at least 1.
    package var silence: Duration

    package init(
        connect: Duration = .seconds(10), total: Duration = .seconds(30), silence: Duration = .seconds(15)
    ) {
        self.connect = connect
        self.total = total
        self.silence = silence
    }
}

extension Duration {
    /// The milliseconds, rounded up, since libcurl takes 0 as "no limit".
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        return Int(seconds * 1_000 + (attoseconds + perMillisecond - 1) / perMillisecond)
    }
}

extension TransportConfiguration {
    /// Finds errors that libcurl would report late or misleadingly.
    ///
    /// - Throws: `.misconfigured`, which names the setting and contains no password.
    func validate() throws(TransportError) {
        if let caFile { try Self.require(caFile, .regular, .certificateFile) }
        if let caDirectory { try Self.require(caDirectory, .directory, .certificateDirectory) }
        if let clientCertificate {
            if !clientCertificate.isOnToken { try Self.require(clientCertificate.file, .regular, .clientCertificate) }
            if let key = clientCertificate.key, !clientCertificate.keyIsOnToken {
                try Self.require(key, .regular, .clientKey)
            }
        }
        guard let proxy, let schemeEnd = proxy.utf8.firstRange(of: "://".utf8)?.lowerBound else { return }
        let scheme = proxy[..<schemeEnd].lowercased()
        guard ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme) else {
            throw .misconfigured(.proxyScheme(DisplayText(trusted: Redaction.redacted(proxy))))
        }
    }

    /// Requires an absolute path, since a relative one would depend on the current repository, and this kind of file.
    private static func require(_ path: String, _ kind: FileStatus.Kind, _ setting: Misconfiguration.Setting)
        throws(TransportError)
    {
        guard Path.isAbsolute(path) else { throw .misconfigured(.relativePath(setting, path)) }
        guard FileStatus(path)?.kind == kind, access(path, R_OK) == 0 else {
            throw .misconfigured(.unreadable(setting, path))
        }
    }
}

extension ClientCertificate {
    /// Whether the certificate is on a token, by its type or its name (RFC 7512), as with git over GnuTLS.
    var isOnToken: Bool { Self.isOnToken(file, type) }
    var keyIsOnToken: Bool { key.map { Self.isOnToken($0, keyType) } == true }

    /// Whether a token's PIN is missing: libcurl would try an empty one, and a token locks itself after wrong PINs.
    var needsPIN: Bool { isOnToken && !Self.hasPIN(file) || keyIsOnToken && key.map(Self.hasPIN) == false }

    /// The error for this certificate, with the file if its password can be stored.
    var unusable: ClientCertificateFault {
        .unusable(setting: setting, protected: isProtected ? DisplayText(untrusted: file.utf8) : nil)
    }

    private static func isOnToken(_ name: String, _ type: String?) -> Bool {
        type.map { $0.uppercased() == "ENG" } ?? name.lowercased().hasPrefix("pkcs11:")
    }

    private static func hasPIN(_ name: String) -> Bool { name.contains("pin-value=") || name.contains("pin-source=") }
}

/// Starts libcurl, which must happen once, on the main thread, before its first use.
enum CurlLibrary {
    /// Whether libcurl has been started; the first access starts it.
    static let isReady: Bool = {
        // libcurl reads both variables when it starts: the first makes it write the keys of TLS sessions to a file, the
        // second selects another TLS library. OPENSSL_CONF stays, since it is the user's own policy and cannot switch
        // off verification.
        unsetenv("SSLKEYLOGFILE")
        unsetenv("CURL_SSL_BACKEND")
        return curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
    }()
}
