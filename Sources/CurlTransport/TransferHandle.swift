internal import CLibcurl
internal import CredentialCore
internal import Providers
internal import System

/// The two libcurl handles of one host, and a buffer for its error messages.
///
/// The handles keep the connection between requests. A transfer runs through a multi handle, because an easy handle
/// alone cannot be interrupted in time: it calls its progress callback once a second while nothing happens, and not at
/// all during a name lookup.
struct TransferHandle: ~Copyable {
    /// The handle with a request's options.
    let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let words: UnsafeMutablePointer<CChar>

    /// The first call starts libcurl.
    ///
    /// - Throws: `.misconfigured` if libcurl cannot be started.
    init() throws(TransportError) {
        guard CurlLibrary.isReady, let easy = curl_easy_init() else {
            throw .misconfigured(.libraryStart)
        }
        guard let multi = curl_multi_init() else {
            curl_easy_cleanup(easy)
            throw .misconfigured(.libraryStart)
        }
        self.easy = easy
        self.multi = multi
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
        words.deallocate()
    }

    /// Removes all options, and with them the borrowed pointers; the connection stays.
    func reset() {
        curl_easy_reset(easy)
        words.pointee = 0
    }

    /// Makes libcurl write its messages to the buffer of `explanation`.
    func collectExplanation() -> CURLcode { gitspace_curl_explain_to(easy, words) }

    /// libcurl's message about the last failure, unredacted and partly from the server.
    var explanation: String { String(cString: words) }

    /// Performs a transfer; calls `isInterrupted` before each wait, and at least every 100 ms.
    ///
    /// libcurl has the same time limit, but we do not rely on it alone.
    ///
    /// - Returns: libcurl's code for the result.
    /// - Throws: `.interrupted` or `.timedOut`; the connection is then closed.
    func perform(
        within limit: Duration, by uptime: @escaping () -> Int64, isInterrupted: () -> Bool
    ) throws(TransportError) -> CURLcode {
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { return CURLE_FAILED_INIT }
        // With CURLOPT_QUICK_EXIT, libcurl does not wait for the thread of a name lookup.
        defer { curl_multi_remove_handle(multi, easy) }
        var deadline = Deadline(in: Int64(limit.wholeMilliseconds), uptime: uptime)
        if isInterrupted() { throw .interrupted }
        var untilLook = Deadline(in: Deadline.interval, uptime: uptime)
        while true {
            var (running, ready): (Int32, Int32) = (0, 0)
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            if running == 0 { return outcome() }
            guard deadline.lasts() else { throw .timedOut }
            let waits = curl_multi_poll(multi, nil, 0, 0, &ready) != CURLM_OK || ready == 0
            guard waits || !untilLook.lasts() else { continue }
            if isInterrupted() { throw .interrupted }
            untilLook = Deadline(in: Deadline.interval, uptime: uptime)
            if waits { curl_multi_poll(multi, nil, 0, Int32(Deadline.interval), nil) }
        }
    }

    private func outcome() -> CURLcode {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            if message.pointee.msg == CURLMSG_DONE { return message.pointee.data.result }
        }
        return CURLE_FAILED_INIT
    }
}

/// A failed transfer, with details that distinguish cases of the same code.
struct CurlFailure {
    let code: CURLcode
    let explanation: String
    /// The status of the proxy's response, or 0.
    let proxyStatus: Int
    /// The reason why we ended the transfer, or `nil`.
    let refusal: TransportError?
    let address: HTTPSAddress
    /// The configured file or folder of certificates.
    let certificates: String?
    let certificateSetting: DisplayText?
    let proxySetting: DisplayText
    let proxyLogin: ProxyLogin?
    /// Whether a stored password was sent to the proxy.
    let sentProxyPassword: Bool
    let clientCertificate: ClientCertificate?

    var error: TransportError {
        if let refusal { return refusal }
        guard proxyStatus != 407 else {
            return .proxySignIn(setting: proxySetting, login: proxyLogin?.url, wasSent: sentProxyPassword)
        }
        if let fault = clientCertificateFault { return .clientCertificate(fault) }
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
            return .proxy(setting: proxySetting)
        case CURLE_COULDNT_CONNECT:
            return isAboutProxy ? .proxy(setting: proxySetting) : .unreachable
        case CURLE_RECV_ERROR where proxyStatus != 0 && !(200...299).contains(proxyStatus):
            return .proxy(setting: proxySetting)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS:
            // The texts of X509_verify_cert_error_string(3).
            if explanation.contains("certificate has expired") { return .outsideValidity(isExpired: true) }
            if explanation.contains("certificate is not yet valid") { return .outsideValidity(isExpired: false) }
            return certificateSetting.map { .untrustedBy(setting: $0) } ?? .untrusted
        // For a header line of more than 100 KiB, libcurl returns the code of lack of memory or, since 8.6,
        // CURLE_TOO_LARGE, which older headers do not define.
        case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100):
            return .tooLarge
        // libcurl takes an invalid status line for HTTP/0.9, which is not allowed (CURLE_UNSUPPORTED_PROTOCOL).
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            return .malformed
        case CURLE_SSL_CACERT_BADFILE:
            return .misconfigured(.certificates(certificates))
        case CURLE_URL_MALFORMAT:
            return .misconfigured(.address(address))
        case CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_FAILED_INIT,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CIPHER:
            return .misconfigured(.libraryFeature(code: Int(code.rawValue)))
        default:
            return .unreachable
        }
    }

    /// The fault of the client certificate by the server's alert (RFC 8446, 6), which only OpenSSL's text names.
    private var clientCertificateFault: ClientCertificateFault? {
        guard let clientCertificate else {
            if explanation.contains("alert certificate required") { return .wanted }
            return explanation.contains("alert handshake failure") ? .perhapsWanted : nil
        }
        if code == CURLE_SSL_CERTPROBLEM { return clientCertificate.unusable }
        let alerts = [
            "certificate required", "bad certificate", "certificate unknown", "certificate expired",
            "certificate revoked", "unsupported certificate", "unknown ca",
        ]
        let isRefused = alerts.contains { explanation.contains("alert \($0)") }
        return isRefused ? .refused(setting: clientCertificate.setting) : nil
    }

    /// Whether the unreachable server is the proxy, which only libcurl's message tells.
    private var isAboutProxy: Bool {
        let isIPv6 = address.host.utf8.first == UInt8(ascii: "[")
        let host = isIPv6 ? String(address.host.dropFirst().dropLast()) : address.host
        if explanation.hasPrefix("Failed to connect to \(host) port \(address.port ?? 443) ") {
            // libcurl 8 names the host, then the proxy.
            return explanation.contains(" via ")
        }
        return explanation.hasPrefix("Failed to connect to ") || explanation.hasPrefix("Unsupported proxy ")
    }
}
