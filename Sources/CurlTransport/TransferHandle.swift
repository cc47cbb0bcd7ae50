internal import CLibcurl
internal import CredentialCore
internal import Glibc
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
        guard CurlLibrary.isReady, let easy = curl_easy_init() else { throw .misconfigured(.libraryStart) }
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
        guard gitspace_curl_explain_to(easy, words) == CURLE_OK, curl_multi_add_handle(multi, easy) == CURLM_OK else {
            return CURLE_FAILED_INIT
        }
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

    func error(
        _ code: CURLcode, _ address: HTTPSAddress, _ configuration: TransportConfiguration, sentProxyPassword: Bool
    ) -> TransportError {
        let (explanation, proxyStatus) = (explanation, gitspace_curl_proxy_status(easy))
        let proxy = TransportError.proxy(setting: configuration.proxySetting)
        guard proxyStatus != 407 else {
            return .proxySignIn(
                setting: configuration.proxySetting, login: configuration.proxyLogin?.url, wasSent: sentProxyPassword)
        }
        if let fault = Self.fault(of: configuration.clientCertificate, code, explanation) {
            return .clientCertificate(fault)
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return proxy
        case CURLE_COULDNT_CONNECT: return Self.isAboutProxy(explanation, address) ? proxy : .unreachable
        case CURLE_RECV_ERROR where proxyStatus != 0 && !(200...299).contains(proxyStatus): return proxy
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS:
            // The texts of X509_verify_cert_error_string(3).
            if explanation.contains("certificate has expired") { return .outsideValidity(isExpired: true) }
            if explanation.contains("certificate is not yet valid") { return .outsideValidity(isExpired: false) }
            return configuration.caSetting.map { .untrustedBy(setting: $0) } ?? .untrusted
        // For a header line of more than 100 KiB, libcurl returns the code of lack of memory or, since 8.6,
        // CURLE_TOO_LARGE, which older headers do not define.
        case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100): return .tooLarge
        // libcurl takes an invalid status line for HTTP/0.9, which is not allowed (CURLE_UNSUPPORTED_PROTOCOL).
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: return .malformed
        // libcurl's built-in file if the settings name none; a directory is read only in the handshake.
        case CURLE_SSL_CACERT_BADFILE: return .misconfigured(.certificates(configuration.caFile))
        case CURLE_URL_MALFORMAT: return .misconfigured(.address(address))
        case CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_FAILED_INIT,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CIPHER:
            return .misconfigured(.libraryFeature(code: Int(code.rawValue)))
        default: return .unreachable
        }
    }

    /// The fault of the client certificate by the server's alert (RFC 8446, 6), which only OpenSSL's text names.
    private static func fault(
        of certificate: ClientCertificate?, _ code: CURLcode, _ explanation: String
    ) -> ClientCertificateFault? {
        guard let certificate else {
            if explanation.contains("alert certificate required") { return .wanted }
            return explanation.contains("alert handshake failure") ? .perhapsWanted : nil
        }
        if code == CURLE_SSL_CERTPROBLEM { return certificate.unusable }
        let alerts = [
            "certificate required", "bad certificate", "certificate unknown", "certificate expired",
            "certificate revoked", "unsupported certificate", "unknown ca",
        ]
        let isRefused = alerts.contains { explanation.contains("alert \($0)") }
        return isRefused ? .refused(setting: certificate.setting) : nil
    }

    /// Whether the unreachable server is the proxy, which only libcurl's message tells.
    private static func isAboutProxy(_ explanation: String, _ address: HTTPSAddress) -> Bool {
        let isIPv6 = address.host.utf8.first == UInt8(ascii: "[")
        let host = isIPv6 ? String(address.host.dropFirst().dropLast()) : address.host
        if explanation.hasPrefix("Failed to connect to \(host) port \(address.port ?? 443) ") {
            // libcurl 8 names the host, then the proxy.
            return explanation.contains(" via ")
        }
        return explanation.hasPrefix("Failed to connect to ") || explanation.hasPrefix("Unsupported proxy ")
    }
}

extension Duration {
    /// The milliseconds, rounded up, since libcurl takes 0 as "no limit".
    var wholeMilliseconds: Int { Int((self / .milliseconds(1)).rounded(.up)) }
}

/// libcurl's start, which must happen once, on the main thread, before its first use; and its readings of names.
package enum CurlLibrary {
    /// Whether libcurl has been started; the first access starts it.
    static let isReady: Bool = {
        // libcurl reads both variables when it starts: the first makes it write the keys of TLS sessions to a file, the
        // second selects another TLS library. OPENSSL_CONF stays, since it is the user's own policy and cannot switch
        // off verification.
        unsetenv("SSLKEYLOGFILE")
        unsetenv("CURL_SSL_BACKEND")
        return curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
    }()
    /// The most bytes of a name (RFC 1035, 2.3.4).
    private static let longestName = 256

    /// Converts a host name that is not ASCII to the form that libcurl, and therefore git, looks up.
    ///
    /// Returns `nil` if libcurl cannot convert the name.
    package static func asciiName(_ name: [UInt8]) -> [UInt8]? {
        var form = [CChar](repeating: 0, count: longestName)
        guard !name.contains(0), isReady,
            gitspace_curl_ascii_name((name + [0]).map { CChar(truncatingIfNeeded: $0) }, &form, longestName) != 0
        else { return nil }
        return form.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Reads a proxy's address as libcurl does; returns `nil` if it cannot be read.
    package static func place(ofProxy address: String) -> (name: String, port: Int)? {
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let port = gitspace_curl_proxy_place(address, &name, name.count)
        return port > 0 ? (name.string, port) : nil
    }
}

/// Looks names up in a process in which libcurl cannot start a thread.
final class NameLookup {
    /// The lines for CURLOPT_RESOLVE.
    private(set) var lines: UnsafeMutablePointer<curl_slist>?
    private let proxy: (name: String, port: Int, findsHosts: Bool)?
    private(set) var found: Set<String> = []

    init(for configuration: TransportConfiguration, environment: (String) -> String? = { Environment[$0] }) {
        // The host's address is needed for `no_proxy`, and for SOCKS without "h" or "a".
        let hasExceptions = environment("no_proxy") != nil || environment("NO_PROXY") != nil
        proxy = configuration.proxyAddress.flatMap { address in
            let isLocal = ["socks4://", "socks5://", "socks://"].contains { address.lowercased().hasPrefix($0) }
            return CurlLibrary.place(ofProxy: address).map { ($0.name, $0.port, !hasExceptions && !isLocal) }
        }
    }

    deinit { curl_slist_free_all(lines) }

    /// Looks up the proxy if there is one, and the host unless the proxy does that.
    ///
    /// libcurl reports a name that was not found.
    func find(_ address: HTTPSAddress) {
        if let proxy { find(proxy.name, proxy.port) }
        if proxy?.findsHosts != true { find(address.host, Int(address.port ?? 443)) }
    }

    private func find(_ name: String, _ port: Int) {
        let place = "\(name):\(port)"
        guard !name.hasPrefix("["), !found.contains(place) else { return }
        let addresses = Self.addresses(of: name)
        guard !addresses.isEmpty, let longer = curl_slist_append(lines, place + ":" + addresses.joined(separator: ","))
        else { return }
        lines = longer
        found.insert(place)
    }

    /// The addresses in the order of attempts (RFC 6724).
    private static func addresses(of name: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(state: first) { next in
            defer { next = next?.pointee.ai_next }
            return next?.pointee
        }.compactMap { address in
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let result = getnameinfo(
                address.ai_addr, address.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            // libcurl accepts no scope of a link-local address.
            let isUsable = result == 0 && !text.contains(CChar(UInt8(ascii: "%")))
            return isUsable ? text.string : nil
        }
    }
}

extension [CChar] {
    /// The text before the first NUL.
    var string: String { String(decoding: prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
}
