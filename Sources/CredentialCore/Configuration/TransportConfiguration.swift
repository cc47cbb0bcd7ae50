/// How the person reaches the network, as git itself would read it: git-config(1), `http.*`.
///
/// `http.sslVerify` and `GIT_SSL_NO_VERIFY` are not read: certificates are always checked.
package struct TransportConfiguration: Equatable {
    /// `http.proxy`; nil leaves it to the proxy variables, empty means none.
    ///
    /// `[scheme://][user[:password]@]host[:port]`, with http, https, socks4, socks4a, socks5 or socks5h.
    package var proxy: String?
    /// The key or the variable by which the proxy in force is named; `http.proxy` if none is.
    package var proxySetting: DisplayText
    /// A file of certificates to trust instead of the system's; the system's directory stays trusted, as in git.
    package var caFile: String?
    /// A directory of certificates to trust, by their hashes; the system's file stays trusted, as in git.
    package var caDirectory: String?

    /// Settings; without arguments, those of somebody who has configured nothing.
    package init(
        proxy: String? = nil, proxySetting: DisplayText = "http.proxy", caFile: String? = nil,
        caDirectory: String? = nil
    ) {
        self.proxy = proxy
        self.proxySetting = proxySetting
        self.caFile = caFile
        self.caDirectory = caDirectory
    }

    /// Reads the settings; git's own variables win over its configuration, as in git.
    ///
    /// - Parameters:
    ///   - configuration: git's, for the host that is asked.
    ///   - environment: looks up a variable.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        func path(_ variable: String, _ key: String, _ openSSLVariable: String) -> String? {
            let value = environment(variable) ?? configuration.value("http", key) ?? environment(openSSLVariable)
            guard let value, !value.isEmpty else { return nil }
            guard value.hasPrefix("~/"), let home = environment("HOME") else { return value }
            return home + value.dropFirst()
        }
        let setting = configuration.setting("http", "proxy")
        proxy = setting?.value
        // As libcurl looks for them, for an https address.
        let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let variable = variables.first { environment($0)?.isEmpty == false }
        proxySetting = DisplayText((setting?.name ?? variable ?? "http.proxy").utf8)
        caFile = path("GIT_SSL_CAINFO", "sslCAInfo", "SSL_CERT_FILE")
        caDirectory = path("GIT_SSL_CAPATH", "sslCAPath", "SSL_CERT_DIR")
    }
}
