internal import CLibcurl
internal import CredentialCore
internal import Providers
internal import System

/// libcurl's two handles for one host, and the buffer for its error messages.
///
/// They keep the connection, and with it the TLS session, from one request to the next. The transfer runs through a
/// multi handle, because an easy handle alone cannot be interrupted in time: it calls its progress callback once a
/// second while nothing happens, and not at all while it looks up a name.
struct TransferHandle: ~Copyable {
    /// It takes the options of a request.
    let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let words: UnsafeMutablePointer<CChar>

    /// Milliseconds before the next check for Ctrl-C.
    private static let attention: Int32 = 50

    /// The first one starts libcurl.
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

    /// With the options goes every pointer that was borrowed for the last request; the connection stays.
    func reset() {
        curl_easy_reset(easy)
        words.pointee = 0
    }

    /// In the buffer behind `explanation`.
    func collectExplanation() -> CURLcode { gitspace_curl_explain_to(easy, words) }

    /// libcurl's own words about the last failure: unredacted, and partly text from the server.
    var explanation: String { String(cString: words) }

    /// libcurl has the same limit, but we do not rely on it alone; `isInterrupted` is asked at least every 100 ms.
    ///
    /// - Returns: how it ended, in libcurl's terms.
    /// - Throws: `.interrupted` or `.timedOut`; the connection is then closed.
    func perform(
        within limit: Duration, by uptime: @escaping () -> Int64, isInterrupted: () -> Bool
    ) throws(TransportError) -> CURLcode {
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { return CURLE_FAILED_INIT }
        // With CURLOPT_QUICK_EXIT this does not wait for the thread that looks up a name.
        defer { curl_multi_remove_handle(multi, easy) }
        var deadline = Deadline(in: Int64(limit.wholeMilliseconds), uptime: uptime)
        while true {
            if isInterrupted() { throw .interrupted }
            var running: Int32 = 0
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            if running == 0 { return outcome() }
            guard deadline.lasts() else { throw .timedOut }
            curl_multi_poll(multi, nil, 0, Self.attention, nil)
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

/// libcurl's code, and what distinguishes cases with the same code.
struct CurlFailure {
    let code: CURLcode
    /// libcurl's own words, unchanged.
    let explanation: String
    /// Of a proxy's answer; 0 if none answered.
    let proxyStatus: Int
    /// Why we ended the transfer ourselves, if we did.
    let refusal: TransportError?
    let address: HTTPSAddress
    /// Those that the person has configured, if any.
    let certificates: String?
    /// It names the file with them, if any.
    let certificateSetting: DisplayText?
    let proxySetting: DisplayText
    let proxyLogin: ProxyLogin?
    /// To the proxy, for the name in its address.
    let sentProxyPassword: Bool
    let clientCertificate: ClientCertificate?

    /// As the `Transport` protocol reports it.
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
            // The words of OpenSSL, X509_verify_cert_error_string(3).
            if explanation.contains("certificate has expired") { return .outsideValidity(isExpired: true) }
            if explanation.contains("certificate is not yet valid") { return .outsideValidity(isExpired: false) }
            return certificateSetting.map { .untrustedBy(setting: $0) } ?? .untrusted
        // libcurl rejects a single header line of more than 100 KiB before we see it, with the code for lack of memory
        // or, since libcurl 8.6, with CURLE_TOO_LARGE, which older headers do not define.
        case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100):
            return .tooLarge
        // The first is the result of an invalid status line: libcurl takes it for HTTP/0.9, which we do not allow.
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

    /// By the alerts about certificates (RFC 8446, 6), of which only OpenSSL's words tell.
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

    /// It could not be reached; only libcurl's words tell what it tried to reach.
    private var isAboutProxy: Bool {
        let isIPv6 = address.host.utf8.first == UInt8(ascii: "[")
        let host = isIPv6 ? String(address.host.dropFirst().dropLast()) : address.host
        if explanation.hasPrefix("Failed to connect to \(host) port \(address.port ?? 443) ") {
            // libcurl 8 names the host, and after it the proxy.
            return explanation.contains(" via ")
        }
        return explanation.hasPrefix("Failed to connect to ") || explanation.hasPrefix("Unsupported proxy ")
    }
}
