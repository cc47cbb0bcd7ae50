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
    fileprivate let userAgent: String
    fileprivate let timeouts: TransportTimeouts
    fileprivate let uptimeMilliseconds: () -> Int64
    private let isInterrupted: () -> Bool
    fileprivate let password: (Request) -> Secret?
    fileprivate let startsThreads: Bool
    fileprivate let trace: ((String) -> Void)?
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
        let response = try session(for: request.address)
            .send(request, isInterrupted: request.isInterruptible ? isInterrupted : { false })
        if request.isInterruptible { trace?("status \(response.status), \(response.body.count) bytes") }
        return response
    }

    /// Sends a request with bodies of any size, and without a time limit for the whole transfer.
    ///
    /// - Throws: `.interrupted` if `bodies` ended the transfer; otherwise as `send`.
    package func stream(_ request: HTTPRequest, _ bodies: StreamedBodies) throws(TransportError) {
        try session(for: request.address).stream(request, bodies)
    }

    private func session(for address: HTTPSAddress) throws(TransportError) -> HostSession {
        if let session = sessions[address.authority] { return session }
        let session = try HostSession(configuration.others[address.authority] ?? configuration, of: self)
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

    package init(connect: Duration = .seconds(10), total: Duration = .seconds(30), silence: Duration = .seconds(15)) {
        self.connect = connect
        self.total = total
        self.silence = silence
    }
}

private final class HostSession {
    private let handle: TransferHandle
    private let configuration: TransportConfiguration
    private unowned let transport: CurlTransport
    /// Our lookup of names, or `nil` if libcurl looks them up.
    private let names: NameLookup?
    /// The proxy's password as a C string, or `nil` if none is needed or stored.
    private let proxyPassword: Secret?
    /// The password of the client certificate's key, or `nil` if none is needed or stored.
    private let keyPassword: Secret?

    /// The bytes of libcurl's buffer for a stream.
    private static let buffer = 131_072
    /// Seconds after which a stream replaces an idle connection.
    private static let longestIdle = 15
    /// The limit of a stream, which normally ends by itself or because of silence.
    private static let longestStream = Duration.seconds(7 * 86_400)

    /// Prepares a session without connecting.
    ///
    /// - Throws: `.misconfigured` if a setting is unusable or libcurl cannot be started; `.clientCertificate`.
    init(_ configuration: TransportConfiguration, of transport: CurlTransport) throws(TransportError) {
        try configuration.validate()
        handle = try TransferHandle()
        self.configuration = configuration
        self.transport = transport
        names = transport.startsThreads ? nil : NameLookup(for: configuration)
        proxyPassword = configuration.proxyLogin?.request.flatMap(transport.password)?.asCString
        let certificate = configuration.clientCertificate
        keyPassword = certificate?.request.flatMap(transport.password)?.asCString
        if let certificate, keyPassword == nil, certificate.needsPIN { throw .clientCertificate(certificate.unusable) }
    }

    func send(_ request: HTTPRequest, isInterrupted: () -> Bool) throws(TransportError) -> HTTPResponse {
        defer { handle.reset() }
        var limit = transport.timeouts.total
        if let deadline = request.deadline {
            let left = deadline - transport.uptimeMilliseconds()
            guard left > 0 else { throw .timedOut }
            limit = min(limit, .milliseconds(left))
        }
        try applyOptions(limit)
        var exchange = Exchange(largestBody: request.largestBody)
        try perform(request, &exchange, within: limit, isInterrupted: isInterrupted)
        return exchange.response()
    }

    func stream(_ request: HTTPRequest, _ bodies: StreamedBodies) throws(TransportError) {
        defer { handle.reset() }
        try applyOptions(nil)
        if let names {
            names.find(request.address)
            try require(gitspace_curl_know(handle.easy, names.lines))
        }
        try require(gitspace_curl_stream(handle.easy, Self.buffer, Self.longestIdle))
        var exchange = Exchange(streaming: bodies)
        try perform(request, &exchange, within: Self.longestStream, isInterrupted: { !bodies.onIdle() })
    }

    /// Performs a transfer, during which libcurl holds pointers to the header lines, the body and the exchange.
    private func perform(
        _ request: HTTPRequest, _ exchange: inout Exchange, within limit: Duration, isInterrupted: () -> Bool
    ) throws(TransportError) {
        let easy = handle.easy
        try require(gitspace_curl_address(easy, request.address.text, transport.userAgent))
        try require(gitspace_curl_send_method(easy, request.method.rawValue))
        let headers = try HeaderLines(for: request)
        let code = try headers.lend { list throws(TransportError) in
            try require(gitspace_curl_send_headers(easy, list))
            return try withUnsafeMutablePointer(to: &exchange) { exchange throws(TransportError) in
                let context = UnsafeMutableRawPointer(exchange)
                try require(
                    gitspace_curl_receive(easy, Exchange.onHeader, Exchange.onBody, Exchange.onSending, context))
                return try lendBody(of: request, context) { () throws(TransportError) in
                    try handle.perform(within: limit, by: transport.uptimeMilliseconds, isInterrupted: isInterrupted)
                }
            }
        }
        guard code == CURLE_OK, exchange.handHeadOn() else {
            let explanation = handle.explanation
            transport.trace?("libcurl error \(code.rawValue): \(Redaction.redacted(explanation))")
            throw exchange.refusal
                ?? handle.error(code, request.address, configuration, sentProxyPassword: proxyPassword != nil)
        }
    }

    /// Sets protocols, trust and time limits; without `limit`, the whole transfer has none.
    private func applyOptions(_ limit: Duration?) throws(TransportError) {
        let easy = handle.easy
        try require(gitspace_curl_speak_https_only(easy))
        try require(gitspace_curl_stay_on_host(easy))
        try require(gitspace_curl_verify(easy))
        // As in git, an unset option keeps libcurl's built-in default.
        if let file = configuration.caFile { try require(gitspace_curl_trust_file(easy, file)) }
        if let directory = configuration.caDirectory { try require(gitspace_curl_trust_directory(easy, directory)) }
        if let certificate = configuration.clientCertificate {
            try (keyPassword ?? Secret([0])).reveal { password throws(TransportError) in
                let text = password.assumingMemoryBound(to: CChar.self).baseAddress
                try require(
                    gitspace_curl_show_certificate(
                        easy, certificate.file, certificate.isOnToken ? "ENG" : certificate.type, certificate.key,
                        certificate.keyIsOnToken ? "ENG" : certificate.keyType, text))
            }
        }
        try require(gitspace_curl_add_no_credentials(easy))
        try require(
            gitspace_curl_limit_time(
                easy, transport.timeouts.connect.wholeMilliseconds, limit?.wholeMilliseconds ?? 0,
                max(1, Int(transport.timeouts.silence.components.seconds))))
        if let login = configuration.proxyLogin {
            // The address lacks the name: libcurl would send an empty password with it.
            try require(gitspace_curl_use_proxy(easy, login.address))
            try proxyPassword?.reveal { password throws(TransportError) in
                let text = password.assumingMemoryBound(to: CChar.self).baseAddress
                try require(gitspace_curl_sign_in_to_proxy(easy, login.username, text))
            }
        } else if let proxy = configuration.proxy {
            try require(gitspace_curl_use_proxy(easy, proxy))
        }
    }

    /// Lends a request's body to libcurl, since we could not wipe a copy; `context` is the exchange.
    private func lendBody(
        of request: HTTPRequest, _ context: UnsafeMutableRawPointer,
        during transfer: () throws(TransportError) -> CURLcode
    ) throws(TransportError) -> CURLcode {
        let secret: Secret
        switch request.body {
        case .form(let form): secret = form
        case .json(let json): secret = json
        // Servers may require a length for POST (RFC 9110, 8.6), so an empty body has the length 0.
        case .none where request.method == .post: secret = Secret([])
        case .none: return try transfer()
        case .stream(let length):
            try require(gitspace_curl_stream_body(handle.easy, Exchange.onNext, context, curl_off_t(length ?? -1)))
            return try transfer()
        }
        return try secret.reveal { bytes throws(TransportError) in
            try require(gitspace_curl_send_body(handle.easy, bytes.baseAddress, curl_off_t(bytes.count)))
            return try transfer()
        }
    }

    /// Throws if libcurl rejects an option, which may be the one that protects the token.
    private func require(_ code: CURLcode) throws(TransportError) {
        guard code == CURLE_OK else { throw .misconfigured(.libraryOption(code: Int(code.rawValue))) }
    }
}

extension Secret {
    fileprivate var asCString: Secret {
        var text = Secret.Builder()
        text.append(self)
        text.append(0)
        return text.finish()
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
