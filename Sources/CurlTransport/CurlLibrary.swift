internal import CLibcurl
internal import Glibc

/// libcurl as a whole, which must be started once, before its first use and from the main thread.
enum CurlLibrary {
    /// Whether libcurl is ready; the first question starts it, so that a run which sends nothing does not pay for it.
    static let isReady: Bool = {
        // Both are read while libcurl starts, and no request of ours may honour them: the first writes the keys of
        // every TLS session to a file, the second exchanges the TLS library for another one. OPENSSL_CONF stays: it
        // is the user's own policy, and it cannot switch verification off.
        unsetenv("SSLKEYLOGFILE")
        unsetenv("CURL_SSL_BACKEND")
        return curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
    }()
}
