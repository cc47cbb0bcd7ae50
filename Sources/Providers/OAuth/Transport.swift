package import CredentialCore

/// Sends requests with limits: 10 seconds to connect, 30 in total, and a request's own deadline.
package protocol Transport: AnyObject {
    /// Sends a request once, and follows no redirect.
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}

package struct HTTPRequest {
    package enum Method: String {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    package enum Body {
        case none
        /// A form, `application/x-www-form-urlencoded` (RFC 6749, RFC 8628).
        case form(Secret)
        case json(Secret)
        /// A body that is streamed, in chunks unless its length is known.
        case stream(length: Int64?)
    }

    package enum Authorization {
        case none
        /// `Authorization: Bearer` (RFC 6750, 2.1).
        case bearer(Secret)
        /// `Authorization: token`, as Gitea and Forgejo document it.
        case token(Secret)
        /// `Authorization: Basic` (RFC 7617), as from git.
        case basic(username: String, password: Secret)
    }

    package var method: Method
    package var address: HTTPSAddress
    package var body: Body
    /// The authorization, sent only to this URL, since redirects are never followed.
    package var authorization: Authorization
    /// Header fields besides authorization, type and length.
    package var fields: [(name: String, value: String)]
    /// Whether Ctrl-C may end the request: a refresh that is interrupted would lose the new token.
    package var isInterruptible: Bool
    /// Milliseconds of uptime after which the response is useless, or `nil` for the transport's limits alone.
    package var deadline: Int64?
    /// The most bytes of the response's body.
    package var largestBody: Int

    package init(
        _ method: Method, _ address: HTTPSAddress, body: Body = .none, authorization: Authorization = .none,
        fields: [(name: String, value: String)] = [("Accept", "application/json")], isInterruptible: Bool = true,
        deadline: Int64? = nil, largestBody: Int = 65_536
    ) {
        self.method = method
        self.address = address
        self.body = body
        self.authorization = authorization
        self.fields = fields
        self.isInterruptible = isInterruptible
        self.deadline = deadline
        self.largestBody = largestBody
    }
}

/// A form (`application/x-www-form-urlencoded`, RFC 6749, appendix B), whose values may be secrets.
package struct FormBuilder: ~Copyable {
    private var text = Secret.Builder()
    package init() {}
    init(continuing fields: Secret) { text.append(fields) }

    /// Omits an empty field, which means the same (RFC 6749, 3.1).
    package mutating func add(_ name: String, _ value: some Collection<UInt8>) {
        guard !value.isEmpty else { return }
        if text.count > 0 { text.append(UInt8(ascii: "&")) }
        text.append(name.utf8)
        text.append(UInt8(ascii: "="))
        for byte in value { append(byte) }
    }

    package mutating func add(_ name: String, _ value: Secret) { value.reveal { add(name, $0) } }
    package consuming func finish() -> Secret { text.finish() }

    /// The query of a URL (RFC 6749, 3.1).
    package consuming func query() -> String { finish().reveal { String(decoding: $0, as: UTF8.self) } }

    static func encoded(_ secret: Secret) -> Secret {
        var form = FormBuilder()
        secret.reveal { for byte in $0 { form.append(byte) } }
        return form.finish()
    }

    /// Percent-encodes all but unreserved characters (RFC 3986, 2.3).
    private mutating func append(_ byte: UInt8) {
        if ASCII.isLetterOrDigit(byte, or: "-._~") {
            text.append(byte)
        } else {
            text.append(PercentEncoding.encoded(byte))
        }
    }
}

/// A response, all of which is untrusted.
package struct HTTPResponse {
    package var status: Int
    /// The body, at most as long as the request allows.
    package var body: Secret
    /// The headers as they arrived, with names in lower case; at most 64 KiB in total.
    package var headers: [(name: String, value: [UInt8])]

    package init(status: Int, body: Secret = Secret([]), headers: [(name: String, value: [UInt8])] = []) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// Returns the first header; the name must be in lower case.
    package func header(_ name: String) -> [UInt8]? { headers.first { $0.name == name }?.value }
    package var json: JSONValue? { body.reveal { JSONValue(parsing: $0) } }

    /// The JSON object in the body (RFC 6749, 5.1 and 5.2), or `nil` for another body.
    package var fields: JSONValue? { json.flatMap { if case .object = $0 { $0 } else { nil } } }
    var isPage: Bool { header("content-type").map { ASCII.equalsIgnoringCase($0.prefix(9), "text/html") } ?? false }

    /// The seconds of `Retry-After`; a date counts as absent (RFC 9110, 10.2.3).
    var retryAfter: Int64? { header("retry-after").flatMap(DecimalNumber.parse) }
}

/// An error of the transport, which is never a reason to drop anything stored.
package enum TransportError: Error, Equatable {
    /// The name does not resolve, no process listens there, or the connection broke.
    case unreachable
    /// The proxy does not resolve, does not listen, or rejects the request; the setting or variable that names it.
    case proxy(setting: DisplayText)
    /// The proxy requires a name and a password (RFC 9110, 15.5.8); `login` is its address if it has a name without a
    /// password, and `wasSent` whether a stored password was sent.
    case proxySignIn(setting: DisplayText, login: DisplayText?, wasSent: Bool)
    /// Connecting took more than 10 seconds, or the request more than 30, or its deadline has passed.
    case timedOut
    /// The certificate is not trusted for this host, or TLS could not be negotiated.
    case untrusted
    /// The certificate is not trusted although this setting or variable names trusted ones.
    case untrustedBy(setting: DisplayText)
    case clientCertificate(ClientCertificateFault)
    /// The certificate has expired or is not valid yet, by this machine's clock.
    case outsideValidity(isExpired: Bool)
    /// The body exceeds `largestBody`, or the header 64 KiB.
    case tooLarge
    /// The answer is not HTTP.
    case malformed
    /// The person pressed Ctrl-C, or git ended.
    case interrupted
    case misconfigured(Misconfiguration)
}

/// A mismatch between a host and this machine's client certificate.
package enum ClientCertificateFault: Equatable, Sendable {
    /// The host requires a certificate and got none.
    case wanted
    /// The host ended the handshake without a reason, as in TLS 1.2 (RFC 5246, 7.4.6).
    case perhapsWanted
    case refused(setting: DisplayText)
    /// The file, its key or the password do not fit; `protected` is the file if git looks its password up.
    case unusable(setting: DisplayText, protected: DisplayText?)
}

/// A fault of this machine's settings; contains no secret.
package enum Misconfiguration: Equatable, Sendable {
    package enum Setting: Equatable, Sendable {
        case certificateFile
        case certificateDirectory
        case clientCertificate
        case clientKey
    }

    /// A relative path would depend on the directory in which git runs.
    case relativePath(Setting, String)
    /// The file is unreadable, missing, or of the wrong kind.
    case unreadable(Setting, String)
    /// The TLS library rejects the certificates; `nil` for the system's.
    case certificates(String?)
    /// libcurl does not support the scheme of this proxy, shown without its password.
    case proxyScheme(DisplayText)
    /// libcurl rejects the address.
    case address(HTTPSAddress)
    /// The credential is not valid in a header field.
    case credential
    /// The client's private key cannot sign.
    case signature
    case memory
    case libraryStart
    case libraryOption(code: Int)
    case libraryFeature(code: Int)
}

/// The configuration of a transport as git reads it: git-config(1), `http.*`.
///
/// `http.sslVerify` and `GIT_SSL_NO_VERIFY` are ignored: certificates are always verified.
package struct TransportConfiguration {
    /// `http.proxy`: `[scheme://][user[:password]@]host[:port]`, with http, https, socks4, socks4a, socks5 or socks5h;
    /// `nil` for the proxy variables, empty for no proxy.
    package var proxy: String?
    /// The key or variable that sets the proxy; `http.proxy` if none does.
    package var proxySetting: DisplayText = "http.proxy"
    /// The proxy's address from `http.proxy` or a variable, even if `no_proxy` excepts the host.
    package var proxyAddress: String?
    /// The name in the address, or `nil` unless a password must be looked up for it.
    package var proxyLogin: ProxyLogin? { proxyAddress.flatMap(ProxyLogin.init) }
    /// The file of trusted certificates instead of the system's; the system's directory stays trusted, as in git.
    package var caFile: String?
    /// The key or variable that sets `caFile`.
    package var caSetting: DisplayText?
    /// The directory of trusted certificates, named by their hashes; the system's file stays trusted, as in git.
    package var caDirectory: String?
    package var clientCertificate: ClientCertificate?
    /// The configurations of further hosts, by host and port, since git's may differ (`http.<url>.*`).
    package var others: [String: TransportConfiguration] = [:]
    package init() {}

    /// Reads git's configuration; git's own variables take precedence, as in git.
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        func read(_ variable: String) -> (name: String, value: String)? { environment(variable).map { (variable, $0) } }
        func find(
            _ variable: String, _ key: String, _ openSSLVariable: String? = nil
        ) -> (value: String, setting: DisplayText)? {
            let found = read(variable) ?? configuration.setting("http", key) ?? openSSLVariable.flatMap(read)
            return found.flatMap { $0.value.isEmpty ? nil : ($0.value, DisplayText(untrusted: $0.name.utf8)) }
        }
        let setting = configuration.setting("http", "proxy")
        proxy = setting?.value
        // libcurl's order for an https URL.
        let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let variable = variables.first { environment($0)?.isEmpty == false }
        proxySetting = DisplayText(untrusted: (setting?.name ?? variable ?? "http.proxy").utf8)
        proxyAddress = proxy ?? variable.flatMap(environment)
        let certificates = find("GIT_SSL_CAINFO", "sslCAInfo", "SSL_CERT_FILE")
        (caFile, caSetting) = (certificates?.value, certificates?.setting)
        caDirectory = find("GIT_SSL_CAPATH", "sslCAPath", "SSL_CERT_DIR")?.value
        clientCertificate = find("GIT_SSL_CERT", "sslCert").map { file, setting in
            let isProtected = configuration.value("http", "sslCertPasswordProtected").map { !Interactivity.isFalse($0) }
            return ClientCertificate(
                file: file, type: find("GIT_SSL_CERT_TYPE", "sslCertType")?.value,
                key: find("GIT_SSL_KEY", "sslKey")?.value, keyType: find("GIT_SSL_KEY_TYPE", "sslKeyType")?.value,
                // Any value of the variable turns it on (git's http.c).
                isProtected: environment("GIT_SSL_CERT_PASSWORD_PROTECTED") != nil || isProtected == true,
                setting: setting)
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
package struct ProxyLogin {
    /// The URL as git passes it: `http://mona@proxy.example:3128`.
    package let url: DisplayText
    /// The URL without the name.
    package let address: String
    package let username: String
    /// git's own request for the password.
    package let request: Request?

    /// Returns `nil` for an address without a name, or with a password.
    package init?(_ proxy: String) {
        let url = proxy.utf8.firstRange(of: "://".utf8) == nil ? "http://" + proxy : proxy
        let parts = TypedAddress(url)
        guard let scheme = parts.scheme, let username = parts.username, !parts.host.isEmpty,
            // git also refuses a name with a line end.
            !username.utf8.contains(where: ASCII.isControl), !parts.hasPassword
        else { return nil }
        self.username = username
        request = try? Request(
            parsing: Secret("protocol=\(scheme)\nhost=\(parts.host)\nusername=\(username)\n".utf8))
        address = "\(scheme)://\(parts.host)"
        self.url = DisplayText(untrusted: url.utf8)
    }
}
