internal import CLibcurl
internal import Glibc

/// The global state of libcurl, which must be started once, before its first use and from the main thread.
enum CurlLibrary {
    /// Whether libcurl is ready; the first use starts it, so that a run that sends nothing does not pay for it.
    static let isReady: Bool = {
        // libcurl reads both when it starts, and no request of ours may use them: the first writes the keys of every
        // TLS session to a file, the second selects another TLS library. OPENSSL_CONF stays: it is the user's own
        // policy, and it cannot switch verification off.
        unsetenv("SSLKEYLOGFILE")
        unsetenv("CURL_SSL_BACKEND")
        return curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
    }()
}
