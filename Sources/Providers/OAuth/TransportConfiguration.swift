package import CredentialCore

/// The configuration of a transport as git itself would read it: git-config(1), `http.*`.
///
/// `http.sslVerify` and `GIT_SSL_NO_VERIFY` are ignored: certificates are always verified.
package struct TransportConfiguration: Equatable {
    /// `http.proxy`; nil means that the proxy variables apply, empty means no proxy.
    ///
    /// `[scheme://][user[:password]@]host[:port]`, with http, https, socks4, socks4a, socks5 or socks5h.
    package var proxy: String?
    /// `http.proxy` if no key or variable sets a proxy.
    package var proxySetting: DisplayText
    /// Trusted instead of the system's; the system's directory stays trusted, as in git.
    package var caFile: String?
    /// The key or variable that sets `caFile`; nil if there is none.
    package var caSetting: DisplayText?
    /// Certificates by their hashes; the system's file stays trusted, as in git.
    package var caDirectory: String?
    /// For other hosts that are asked as well, by host and port: git's configuration may have a way of its own to each
    /// (`http.<url>.*`).
    package var others: [String: TransportConfiguration] = [:]

    /// Without arguments, those of an empty configuration.
    package init(
        proxy: String? = nil, proxySetting: DisplayText = "http.proxy", caFile: String? = nil,
        caDirectory: String? = nil
    ) {
        self.proxy = proxy
        self.proxySetting = proxySetting
        self.caFile = caFile
        self.caDirectory = caDirectory
    }

    /// As in git, git's own variables take precedence over its configuration, which is for the host that is asked.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        func path(_ variable: String, _ key: String, _ openSSLVariable: String) -> String? {
            let value = environment(variable) ?? configuration.value("http", key) ?? environment(openSSLVariable)
            guard let value, !value.isEmpty else { return nil }
            guard value.hasPrefix("~/"), let home = environment("HOME") else { return value }
            return home + value.dropFirst()
        }
        let setting = configuration.setting("http", "proxy")
        proxy = setting?.value
        // The order in which libcurl looks for them for an https URL.
        let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let variable = variables.first { environment($0)?.isEmpty == false }
        proxySetting = DisplayText(untrusted: (setting?.name ?? variable ?? "http.proxy").utf8)
        caFile = path("GIT_SSL_CAINFO", "sslCAInfo", "SSL_CERT_FILE")
        if caFile != nil {
            let variable = ["GIT_SSL_CAINFO"].first { environment($0) != nil }
            caSetting = DisplayText(
                untrusted: (variable ?? configuration.setting("http", "sslCAInfo")?.name ?? "SSL_CERT_FILE").utf8)
        }
        caDirectory = path("GIT_SSL_CAPATH", "sslCAPath", "SSL_CERT_DIR")
    }
}
