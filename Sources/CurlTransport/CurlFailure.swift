internal import CLibcurl
internal import CredentialCore
internal import OAuth

/// Why libcurl returned no answer: its code, and what distinguishes cases with the same code.
struct CurlFailure {
    /// libcurl's code.
    let code: CURLcode
    /// libcurl's own words, unchanged.
    let explanation: String
    /// The status with which a proxy answered; 0 if none did.
    let proxyStatus: Int
    /// Why we ended the transfer ourselves, if we did.
    let refusal: TransportError?
    /// The address of the request.
    let address: HTTPSAddress
    /// The certificates that the person has configured, if any.
    let certificates: String?
    /// The setting that names the file with them, if any.
    let certificateSetting: DisplayText?
    /// The setting that names the proxy.
    let proxySetting: DisplayText

    /// The failure as the `Transport` protocol reports it.
    var error: TransportError {
        if let refusal { return refusal }
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
            return certificateSetting.map { .untrustedBy(setting: $0) } ?? .untrusted
        // libcurl rejects a single header line of more than 100 KiB before we see it, with the code for lack of memory
        // or, since libcurl 8.6, with CURLE_TOO_LARGE, which older headers do not define.
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100):
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

    /// Whether it was a proxy that could not be reached; only libcurl's words tell what it tried to reach.
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
