internal import CLibcurl
package import CredentialCore
internal import Glibc
package import Providers
internal import System

/// https only, verified, no redirects, one connection per host.
///
/// One connection serves all requests to a host, so that polling costs no handshake; nothing is shared between hosts.
/// Not for use from several threads at once.
package final class CurlTransport: Transport {
    private let configuration: TransportConfiguration
    private let userAgent: String
    private let timeouts: TransportTimeouts
    private let uptimeMilliseconds: () -> Int64
    private let isInterrupted: () -> Bool
    private let password: (Request) -> Secret?
    private let trace: ((String) -> Void)?
    private var sessions: [String: HostSession] = [:]

    /// libcurl is not started before the first request.
    ///
    /// The clock does not jump when the system's time is set. `isInterrupted` is asked at least every 100 ms. `password` is what
    /// git's helpers have for a request of git's own: for a proxy, or a client certificate. The trace
    /// receives one line before each request and one after it, without secrets; none after a request that cannot be
    /// interrupted, since nothing may delay the saving of its answer.
    package init(
        _ configuration: TransportConfiguration, userAgent: String, timeouts: TransportTimeouts = TransportTimeouts(),
        uptimeMilliseconds: @escaping () -> Int64, isInterrupted: @escaping () -> Bool = { false },
        password: @escaping (Request) -> Secret? = { _ in nil }, trace: ((String) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.userAgent = userAgent
        self.timeouts = timeouts
        self.uptimeMilliseconds = uptimeMilliseconds
        self.isInterrupted = isInterrupted
        self.password = password
        self.trace = trace
    }

    /// A redirect is an answer like any other, with its status.
    ///
    /// - Throws: `.misconfigured` before anything is sent, else what went wrong on the way.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        // Our paths contain no secret; a query may.
        let path = request.address.path.prefix { $0 != "?" }
        trace?("\(request.method.rawValue) https://\(request.address.authority)\(path)")
        let session = try session(for: request.address)
        let response = try session.send(
            request, isInterrupted: request.isInterruptible ? isInterrupted : { false })
        if request.isInterruptible { trace?("status \(response.status), \(response.body.count) bytes") }
        return response
    }

    /// The same for bodies of any size, without a limit to the whole.
    ///
    /// - Throws: also `.interrupted` if `bodies` ended it.
    package func stream(_ request: StreamedRequest, _ bodies: StreamedBodies) throws(TransportError) {
        try session(for: request.address).stream(request, bodies)
    }

    private func session(for address: HTTPSAddress) throws(TransportError) -> HostSession {
        if let session = sessions[address.authority] { return session }
        let session = try HostSession(
            configuration.others[address.authority] ?? configuration, userAgent: userAgent, timeouts: timeouts,
            uptimeMilliseconds: uptimeMilliseconds, password: password, trace: trace)
        sessions[address.authority] = session
        return session
    }
}

package struct TransportTimeouts {
    /// From the name lookup to the end of the TLS handshake.
    package var connect: Duration
    /// From the start to the last byte of the answer.
    package var total: Duration
    /// Without a single byte in either direction; counted in whole seconds, 1 at least.
    package var silence: Duration

    /// The defaults are those that the `Transport` protocol promises.
    package init(
        connect: Duration = .seconds(10), total: Duration = .seconds(30), silence: Duration = .seconds(15)
    ) {
        self.connect = connect
        self.total = total
        self.silence = silence
    }
}

extension Duration {
    /// Rounded up: libcurl reads 0 as "no limit".
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

    /// A relative path would depend on the repository in which git is run.
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
    /// What an engine of OpenSSL finds, and no file: by its type, or by its name (RFC 7512), as in a git over GnuTLS.
    var isOnToken: Bool { Self.isOnToken(file, type) }
    var keyIsOnToken: Bool { key.map { Self.isOnToken($0, keyType) } == true }

    /// Without a password, an empty PIN would be tried, and a token counts wrong ones until it locks itself.
    var needsPIN: Bool { isOnToken && !Self.hasPIN(file) || keyIsOnToken && key.map(Self.hasPIN) == false }

    /// The file is named where its password can be stored.
    var unusable: ClientCertificateFault {
        .unusable(setting: setting, protected: isProtected ? DisplayText(untrusted: file.utf8) : nil)
    }

    private static func isOnToken(_ name: String, _ type: String?) -> Bool {
        type.map { $0.uppercased() == "ENG" } ?? name.lowercased().hasPrefix("pkcs11:")
    }

    private static func hasPIN(_ name: String) -> Bool { name.contains("pin-value=") || name.contains("pin-source=") }
}

/// libcurl, which must be started once, before its first use and from the main thread.
enum CurlLibrary {
    /// The first use starts it, so that a run that sends nothing does not pay for it.
    static let isReady: Bool = {
        // libcurl reads both when it starts, and no request of ours may use them: the first writes the keys of every
        // TLS session to a file, the second selects another TLS library. OPENSSL_CONF stays: it is the user's own
        // policy, and it cannot switch verification off.
        unsetenv("SSLKEYLOGFILE")
        unsetenv("CURL_SSL_BACKEND")
        return curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
    }()
}
