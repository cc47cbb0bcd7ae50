internal import CLibcurl
internal import CredentialCore
internal import Providers
internal import System

final class HostSession {
    private let handle: TransferHandle
    private let configuration: TransportConfiguration
    private let userAgent: String
    private let timeouts: TransportTimeouts
    private let uptimeMilliseconds: () -> Int64
    private let trace: ((String) -> Void)?
    /// Our lookup of names, or `nil` if libcurl looks them up.
    private let names: NameLookup?
    /// The proxy's password as a C string, or `nil` if none is needed or stored.
    private let proxyPassword: Secret?
    /// The password of the client certificate's key, or `nil` if none is needed or stored.
    private let keyPassword: Secret?

    /// Prepares a session without connecting.
    ///
    /// - Throws: `.misconfigured` if a setting is unusable or libcurl cannot be started; `.clientCertificate`.
    init(
        _ configuration: TransportConfiguration, userAgent: String, timeouts: TransportTimeouts,
        uptimeMilliseconds: @escaping () -> Int64, password: (Request) -> Secret?, startsThreads: Bool,
        trace: ((String) -> Void)?
    ) throws(TransportError) {
        try configuration.validate()
        handle = try TransferHandle()
        self.configuration = configuration
        self.userAgent = userAgent
        self.timeouts = timeouts
        self.uptimeMilliseconds = uptimeMilliseconds
        self.trace = trace
        names = startsThreads ? nil : NameLookup(for: configuration)
        proxyPassword = configuration.proxyLogin?.request.flatMap(password)?.asCString
        let certificate = configuration.clientCertificate
        keyPassword = certificate?.request.flatMap(password)?.asCString
        if let certificate, keyPassword == nil, certificate.needsPIN { throw .clientCertificate(certificate.unusable) }
    }

    func send(_ request: HTTPRequest, isInterrupted: () -> Bool) throws(TransportError) -> HTTPResponse {
        defer { handle.reset() }
        var exchange = Exchange(largestBody: request.largestBody)
        let code = try attempt(request, &exchange, isInterrupted)
        guard code == CURLE_OK else { throw failure(code, request.address, exchange.refusal) }
        return exchange.response(status: gitspace_curl_status(handle.easy))
    }

    /// - Throws: `.interrupted` if `bodies` ended the transfer; otherwise as `send`.
    func stream(_ request: StreamedRequest, _ bodies: StreamedBodies) throws(TransportError) {
        defer { handle.reset() }
        let exchange = StreamedExchange(bodies, of: handle.easy)
        names?.find(request.address)
        let code = try attempt(request, exchange)
        guard code == CURLE_OK, exchange.isComplete else {
            throw failure(code, request.address, exchange.refusal)
        }
    }

    /// Performs a streamed transfer, during which libcurl holds pointers to the header lines and the exchange.
    private func attempt(
        _ request: StreamedRequest, _ exchange: StreamedExchange
    ) throws(TransportError) -> CURLcode {
        let easy = handle.easy
        try applyOptions(nil)
        if let names { try require(gitspace_curl_know(easy, names.lines)) }
        try require(gitspace_curl_stream(easy, Self.buffer, Self.longestIdle))
        try require(gitspace_curl_address(easy, request.address.text, userAgent))
        try require(gitspace_curl_send_method(easy, request.method.rawValue))
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        if let length = request.body.length {
            try require(gitspace_curl_stream_body(easy, StreamedExchange.onNext, context, curl_off_t(length)))
        }
        try require(
            gitspace_curl_receive(
                easy, StreamedExchange.onHeader, StreamedExchange.onBody, StreamedExchange.onSending, context))
        return try HeaderLines(for: request).lend { list throws(TransportError) in
            try require(gitspace_curl_send_headers(easy, list))
            return try withExtendedLifetime(exchange) { () throws(TransportError) in
                try handle.perform(
                    within: Self.longestStream, by: uptimeMilliseconds, isInterrupted: { !exchange.bodies.onIdle() })
            }
        }
    }

    /// The bytes of libcurl's buffer.
    private static let buffer = 131_072
    /// Seconds after which an idle connection is replaced.
    private static let longestIdle = 15
    /// The limit of a stream, which normally ends by itself or because of silence.
    private static let longestStream = Duration.seconds(7 * 86_400)

    /// Performs a transfer, during which libcurl holds pointers to the header lines, the body and the exchange.
    private func attempt(
        _ request: HTTPRequest, _ exchange: inout Exchange, _ isInterrupted: () -> Bool
    ) throws(TransportError) -> CURLcode {
        let limit = try limit(of: request)
        try applyOptions(limit)
        try require(gitspace_curl_address(handle.easy, request.address.text, userAgent))
        try require(gitspace_curl_send_method(handle.easy, request.method.rawValue))
        let headers = try HeaderLines(for: request)
        return try headers.lend { list throws(TransportError) in
            try require(gitspace_curl_send_headers(handle.easy, list))
            return try lendBody(of: request) { () throws(TransportError) in
                try withUnsafeMutablePointer(to: &exchange) { exchange throws(TransportError) in
                    try require(
                        gitspace_curl_receive(
                            handle.easy, Exchange.onHeader, Exchange.onBody, Exchange.onSending,
                            UnsafeMutableRawPointer(exchange)))
                    return try handle.perform(
                        within: limit, by: uptimeMilliseconds, isInterrupted: isInterrupted)
                }
            }
        }
    }

    /// - Throws: `.timedOut` if the deadline has passed; nothing is sent then.
    private func limit(of request: HTTPRequest) throws(TransportError) -> Duration {
        guard let deadline = request.deadline else { return timeouts.total }
        let left = deadline - uptimeMilliseconds()
        guard left > 0 else { throw .timedOut }
        return min(timeouts.total, .milliseconds(left))
    }

    /// Sets protocols, trust and time limits; without `limit`, the whole transfer has none.
    private func applyOptions(_ limit: Duration?) throws(TransportError) {
        let easy = handle.easy
        try require(handle.collectExplanation())
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
                easy, timeouts.connect.wholeMilliseconds, limit?.wholeMilliseconds ?? 0,
                max(1, Int(timeouts.silence.components.seconds))))
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

    /// Lends a request's body to libcurl, since we could not wipe a copy.
    private func lendBody(
        of request: HTTPRequest, during transfer: () throws(TransportError) -> CURLcode
    ) throws(TransportError) -> CURLcode {
        let secret: Secret
        switch request.body {
        case .form(let form): secret = form
        case .json(let json): secret = json
        // Servers may require a length for POST (RFC 9110, 8.6), so an empty body has the length 0.
        case .none where request.method == .post: secret = Secret([])
        case .none: return try transfer()
        }
        return try secret.reveal { bytes throws(TransportError) in
            try require(gitspace_curl_send_body(handle.easy, bytes.baseAddress, curl_off_t(bytes.count)))
            return try transfer()
        }
    }

    /// Throws if libcurl rejects an option, which may be the one that protects the token.
    private func require(_ code: CURLcode) throws(TransportError) {
        guard code == CURLE_OK else {
            throw .misconfigured(.libraryOption(code: Int(code.rawValue)))
        }
    }

    private func failure(_ code: CURLcode, _ address: HTTPSAddress, _ refusal: TransportError?) -> TransportError {
        let failure = CurlFailure(
            code: code, explanation: handle.explanation, proxyStatus: gitspace_curl_proxy_status(handle.easy),
            refusal: refusal, address: address,
            certificates: configuration.caFile ?? configuration.caDirectory,
            certificateSetting: configuration.caSetting,
            proxySetting: configuration.proxySetting, proxyLogin: configuration.proxyLogin,
            sentProxyPassword: proxyPassword != nil, clientCertificate: configuration.clientCertificate)
        trace?("libcurl error \(code.rawValue): \(Redaction.redacted(failure.explanation))")
        return failure.error
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
