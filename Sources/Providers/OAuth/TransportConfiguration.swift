package import CredentialCore

/// The configuration of a transport as git reads it: git-config(1), `http.*`.
///
/// `http.sslVerify` and `GIT_SSL_NO_VERIFY` are ignored: certificates are always verified.
package struct TransportConfiguration: Equatable {
    /// `http.proxy`: `[scheme://][user[:password]@]host[:port]`, with http, https, socks4, socks4a, socks5 or socks5h;
    /// `nil` for the proxy variables, empty for no proxy.
    package var proxy: String?
    /// The key or variable that sets the proxy; `http.proxy` if none does.
    package var proxySetting: DisplayText
    /// The proxy's address from `http.proxy` or a variable, even if `no_proxy` excepts the host.
    package var proxyAddress: String?
    /// The name in the address, or `nil` unless a password must be looked up for it.
    package var proxyLogin: ProxyLogin?
    /// The file of trusted certificates instead of the system's; the system's directory stays trusted, as in git.
    package var caFile: String?
    /// The key or variable that sets `caFile`.
    package var caSetting: DisplayText?
    /// The directory of trusted certificates, named by their hashes; the system's file stays trusted, as in git.
    package var caDirectory: String?
    package var clientCertificate: ClientCertificate?
    /// The configurations of further hosts, by host and port, since git's may differ (`http.<url>.*`).
    package var others: [String: TransportConfiguration] = [:]

    package init(
        proxy: String? = nil, proxySetting: DisplayText = "http.proxy", caFile: String? = nil,
        caDirectory: String? = nil
    ) {
        self.proxy = proxy
        self.proxySetting = proxySetting
        proxyAddress = proxy
        proxyLogin = proxy.flatMap(ProxyLogin.init)
        self.caFile = caFile
        self.caDirectory = caDirectory
    }

    /// Reads git's configuration; git's own variables take precedence, as in git.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        func text(_ variable: String, _ key: String, _ openSSLVariable: String? = nil) -> String? {
            let value =
                environment(variable) ?? configuration.value("http", key) ?? openSSLVariable.flatMap(environment)
            return value.flatMap { $0.isEmpty ? nil : $0 }
        }
        let setting = configuration.setting("http", "proxy")
        proxy = setting?.value
        // libcurl's order for an https URL.
        let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let variable = variables.first { environment($0)?.isEmpty == false }
        proxySetting = DisplayText(untrusted: (setting?.name ?? variable ?? "http.proxy").utf8)
        proxyAddress = proxy ?? variable.flatMap(environment)
        proxyLogin = proxyAddress.flatMap(ProxyLogin.init)
        caFile = text("GIT_SSL_CAINFO", "sslCAInfo", "SSL_CERT_FILE")
        if caFile != nil {
            let key = configuration.setting("http", "sslCAInfo")?.name ?? "SSL_CERT_FILE"
            caSetting = DisplayText(untrusted: (environment("GIT_SSL_CAINFO") == nil ? key : "GIT_SSL_CAINFO").utf8)
        }
        caDirectory = text("GIT_SSL_CAPATH", "sslCAPath", "SSL_CERT_DIR")
        clientCertificate = text("GIT_SSL_CERT", "sslCert").map { file in
            let setting =
                environment("GIT_SSL_CERT") == nil ? configuration.setting("http", "sslCert")?.name : "GIT_SSL_CERT"
            let isProtected = configuration.value("http", "sslCertPasswordProtected").map { !Interactivity.isFalse($0) }
            return ClientCertificate(
                file: file, type: text("GIT_SSL_CERT_TYPE", "sslCertType"), key: text("GIT_SSL_KEY", "sslKey"),
                keyType: text("GIT_SSL_KEY_TYPE", "sslKeyType"),
                // Any value of the variable turns it on (git's http.c).
                isProtected: environment("GIT_SSL_CERT_PASSWORD_PROTECTED") != nil || isProtected == true,
                setting: DisplayText(untrusted: (setting ?? "http.sslCert").utf8))
        }
    }
}

/// The client certificate (git-config(1), `http.sslCert` and following).
package struct ClientCertificate: Equatable {
    package let file: String
    /// `PEM`, `DER` or `P12`, or `nil` for `PEM`.
    package var type: String?
    /// The file of the key, or `nil` if it is in the certificate's file.
    package var key: String?
    package var keyType: String?
    /// Whether git's helpers look the password up.
    package var isProtected = false
    /// The key or variable that sets the certificate.
    package var setting: DisplayText = "http.sslCert"

    /// git's own request for the password, or `nil` if git makes none.
    package var request: Request? {
        guard isProtected, !file.utf8.contains(where: ASCII.isControl) else { return nil }
        return try? Request(parsing: Secret("protocol=cert\nhost=\npath=\(file)\nusername=\n".utf8))
    }
}

/// A proxy address with a name and no password, which git's helpers look up (git-config(1), `http.proxy`).
package struct ProxyLogin: Equatable {
    /// The URL as git passes it: `http://mona@proxy.example:3128`.
    package let url: DisplayText
    /// The URL without the name.
    package let address: String
    package let username: String
    private let scheme: String
    private let host: String

    /// Returns `nil` for an address without a name, or with a password.
    package init?(_ proxy: String) {
        let url = proxy.utf8.firstRange(of: "://".utf8) == nil ? "http://" + proxy : proxy
        let parts = TypedAddress(url)
        guard let scheme = parts.scheme, let username = parts.username, !parts.host.isEmpty,
            // git also refuses a name with a line end.
            !username.utf8.contains(where: ASCII.isControl), !Self.hasPassword(url)
        else { return nil }
        self.scheme = scheme
        self.username = username
        host = parts.host
        address = "\(scheme)://\(parts.host)"
        self.url = DisplayText(untrusted: url.utf8)
    }

    /// git's own request for the password.
    package var request: Request? {
        try? Request(parsing: Secret("protocol=\(scheme)\nhost=\(host)\nusername=\(username)\n".utf8))
    }

    private static func hasPassword(_ url: String) -> Bool {
        let rest = url.utf8[(url.utf8.firstRange(of: "://".utf8)?.upperBound ?? url.startIndex)...]
        return rest.prefix { $0 != UInt8(ascii: "@") }.contains(UInt8(ascii: ":"))
    }
}
