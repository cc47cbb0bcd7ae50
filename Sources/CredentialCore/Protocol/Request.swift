/// ① The credential description of gitcredentials(7), checked and otherwise unchanged: values are the received bytes.
package struct Request {
    /// The protocol as typed (`https`, `cert`, `smtp`, …).
    package private(set) var `protocol`: [UInt8] = []
    /// The host with `:port` if the URL had one; empty only for `cert`.
    package private(set) var host: [UInt8] = []
    /// The path, which git sends only if `credential.useHttpPath` is set or the protocol is not http(s).
    package private(set) var path: [UInt8]?
    /// The account: an empty name is a name, `nil` stands for any account.
    package private(set) var username: [UInt8]?
    package private(set) var password: Secret?
    /// The expiry in seconds since 1970; `nil` if absent or not a valid number, which git reads as "never".
    package private(set) var passwordExpiryUTC: Int64?
    package private(set) var oauthRefreshToken: Secret?
    /// The server's `WWW-Authenticate` headers, 64 at most: untrusted, used only for ranking.
    package private(set) var wwwauth: [[UInt8]] = []
    package private(set) var capabilities: [Capability] = []
    /// Our own states; those of other helpers are dropped.
    package private(set) var state: [[UInt8]] = []
    /// The scheme of `credential`, such as `Bearer`.
    package private(set) var authtype: [UInt8]?
    /// The rest of the `Authorization` header after the scheme.
    package private(set) var credential: Secret?
    /// Whether the issuer asked not to store the credential.
    package private(set) var isEphemeral = false

    /// Parses up to a blank line or the end, at most `RequestLines.longestRequest` bytes.
    package init(parsing text: Secret) throws(RequestError) {
        try text.reveal { bytes throws(RequestError) in try read(bytes) }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(RequestError) {
        // No dictionary or set on git's path: to hash a type, the runtime first searches every conformance. The values
        // are not copied, since one may be a password.
        var seen: [(attribute: Attribute, value: UnsafeRawBufferPointer)] = []
        var lines = try RequestLines(bytes)
        while let (key, value) = try lines.next() {
            guard let attribute = Attribute(key: key) else { continue }
            try Self.check(value, of: attribute)
            if attribute.isSingular {
                // One entry per attribute: with one entry per line, many equal lines would take quadratic time.
                if let earlier = seen.first(where: { $0.attribute == attribute }) {
                    guard earlier.value.elementsEqual(value) else { throw .contradiction(attribute: attribute) }
                } else {
                    seen.append((attribute, value))
                }
            }
            take(attribute, value)
        }
        guard !self.protocol.isEmpty else { throw .missing(attribute: .protocol) }
        guard seen.contains(where: { $0.attribute == .host }) else { throw .missing(attribute: .host) }
        // git's client certificates are the only credential without a host: `cert:///path`.
        guard !host.isEmpty || (self.protocol == Self.cert && path?.isEmpty == false) else {
            throw .missing(attribute: .host)
        }
    }

    private static func check(_ value: UnsafeRawBufferPointer, of attribute: Attribute) throws(RequestError) {
        let forbidden =
            attribute.isName
            ? value.contains(where: ASCII.isControl)
            : value.contains(0) || (value.contains(0x0d) && attribute.isSingular)
        if forbidden { throw .controlByte(attribute: attribute) }
    }

    private mutating func take(_ attribute: Attribute, _ value: UnsafeRawBufferPointer) {
        switch attribute {
        case .protocol: self.protocol = Array(value)
        case .host: host = Array(value)
        case .path: path = Array(value)
        case .username: username = Array(value)
        case .password: password = Secret(copying: value)
        case .passwordExpiryUTC: passwordExpiryUTC = DecimalNumber.parse(value).flatMap { $0 > 0 ? $0 : nil }
        case .oauthRefreshToken: oauthRefreshToken = value.isEmpty ? nil : Secret(copying: value)
        case .wwwauth: Self.append(value, to: &wwwauth)
        case .capability where value.isEmpty: capabilities.removeAll()
        case .capability:
            let known = Capability.allCases.first { $0.rawValue.utf8.elementsEqual(value) }
            if let known { capabilities.append(known) }
        case .state: if value.isEmpty || value.starts(with: StateValue.prefix) { Self.append(value, to: &state) }
        case .authtype: authtype = Array(value)
        case .credential: credential = Secret(copying: value)
        case .ephemeral: isEphemeral = !Self.falseWords.contains { $0.elementsEqual(value) }
        case .quit: break
        }
    }

    /// Whether the request has a scheme or its value, instead of a username and a password.
    package var hasAuthtype: Bool { authtype != nil || credential != nil }

    /// The password, or the value of a credential with a scheme.
    package var secret: Secret? {
        guard hasAuthtype else { return password }
        guard let authtype, !authtype.isEmpty, credential?.isEmpty == false else { return nil }
        return credential
    }

    /// An empty value clears a list (git-credential(1)); git leaves that to the helper.
    private static func append(_ value: UnsafeRawBufferPointer, to list: inout [[UInt8]]) {
        if value.isEmpty {
            list.removeAll()
        } else if list.count < longestList {
            list.append(Array(value))
        }
    }

    /// Whether a parameter such as `domain_hint="acme"` may prefer one of several accounts; the full program parses it.
    package var mayHintAtAccount: Bool {
        let sign = Self.hint
        for challenge in wwwauth where challenge.count >= sign.count {
            for start in 0...(challenge.count - sign.count) where ASCII.folded(challenge[start + 1]) == sign[1] {
                if sign.indices.allSatisfy({ ASCII.folded(challenge[start + $0]) == sign[$0] }) { return true }
            }
        }
        return false
    }

    private static let hint = Array("_hint".utf8)
    private static let longestList = 64
    private static let cert = Array("cert".utf8)
    /// The words for false; every other value of `ephemeral` is true, so that nothing is stored.
    private static let falseWords = ["", "0", "false", "no", "off"].map { Array($0.utf8) }
}

/// The lines of a request, which only LF ends (CVE-2024-50338, CVE-2024-52006).
///
/// `String` is not used, since it knows a dozen line ends and treats CR LF as one character.
struct RequestLines {
    /// The most bytes of a line with its LF (git-credential(1)).
    static let longestLine = 65_535
    /// The most bytes of a request, far above what git sends.
    static let longestRequest = 1 << 20
    private var rest: UnsafeRawBufferPointer

    init(_ request: UnsafeRawBufferPointer) throws(RequestError) {
        guard request.count <= Self.longestRequest else { throw .tooLong }
        rest = request
    }

    /// The next line, split at the first `=`, or `nil` at a blank line or the end.
    mutating func next() throws(RequestError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard !rest.isEmpty else { return nil }
        guard let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            throw rest.count >= Self.longestLine ? .tooLong : .malformedLine
        }
        let line = UnsafeRawBufferPointer(rebasing: rest[..<lineEnd])
        rest = UnsafeRawBufferPointer(rebasing: rest[(lineEnd + 1)...])
        guard !line.isEmpty else { return nil }
        guard line.count < Self.longestLine else { throw .tooLong }
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { throw .malformedLine }
        return (
            UnsafeRawBufferPointer(rebasing: line[..<equals]), UnsafeRawBufferPointer(rebasing: line[(equals + 1)...])
        )
    }
}

/// A reason to refuse a request, without its values, which may be hostile or secret.
package enum RequestError: Error, Equatable {
    /// A line has no `=`, or the input ended within a line, as when git dies while it writes.
    case malformedLine
    /// A line or the request exceeds its limit.
    case tooLong
    /// A NUL, a carriage return or, in a name, another control byte.
    case controlByte(attribute: Attribute)
    /// An attribute has two different values, so a line was injected (CVE-2020-5260).
    case contradiction(attribute: Attribute)
    case missing(attribute: Attribute)
    /// The host has bytes of another part of a URL, or an invalid port.
    case malformedHost
    /// A built-in host over another protocol or port, which would be a downgrade.
    case downgrade
}

/// The last argument on the command line (gitcredentials(7), "Custom Helpers").
package enum Operation: String {
    case get
    case store
    case erase
    /// Prints our capabilities, and reads no request.
    case capability
}

/// The sender of a request, by the names of the parent processes, which anyone can choose.
///
/// A requester only decides how much of a sign-in a rejection removes.
package enum Requester: Sendable {
    /// A shell or a script started `git credential` or the helper.
    case person
    /// git's own transport or Git LFS, which pass on a server's rejection.
    case git
    case program
}

/// ⑦ The answer to git.
package enum Answer {
    case credential(StoredCredential)
    /// An expired credential of a plain store, for another helper that can use the refresh token.
    case withoutPassword(username: [UInt8], oauthRefreshToken: Secret?)
    /// `quit=1`: the person cancelled or was told of an error, so git must not prompt for a username.
    case quit
    /// An empty answer: git asks other helpers, or the person.
    case nothing

    /// The lines for git; empty if a value contains a byte that would end a line early.
    ///
    /// Some attributes are returned only if the request announced their capability.
    package func encoded(for request: Request) -> Secret {
        switch self {
        case .nothing: return Secret([])
        case .quit: return Secret(Array("quit=1\n".utf8))
        case .withoutPassword(let username, let refreshToken):
            var lines = SecretLines()
            lines.append(.username, username)
            if let refreshToken { lines.append(.oauthRefreshToken, refreshToken) }
            return lines.finish() ?? Secret([])
        case .credential(let credential):
            var lines = SecretLines()
            if let authtype = credential.authtype {
                // A server would reject the token as a password, and git would erase it.
                guard request.capabilities.contains(.authtype) else { return Secret([]) }
                lines.append(.capability, Capability.authtype.rawValue.utf8)
                lines.append(.authtype, authtype)
                lines.append(.credential, credential.password)
                // Other helpers must not keep the token of a grant, since only this program replaces it.
                if credential.grant != nil, credential.passwordExpiryUTC != nil { lines.append(.ephemeral, "1".utf8) }
            }
            if request.capabilities.contains(.state) { lines.append(.capability, Capability.state.rawValue.utf8) }
            if credential.authtype == nil || !credential.username.isEmpty {
                lines.append(.username, credential.username)
            }
            if credential.authtype == nil { lines.append(.password, credential.password) }
            if let expiry = credential.passwordExpiryUTC { lines.append(.passwordExpiryUTC, String(expiry).utf8) }
            if let token = credential.foreignRefreshToken { lines.append(.oauthRefreshToken, token) }
            if request.capabilities.contains(.state) {
                let mark = StateValue.of(
                    host: request.host, username: credential.username, password: credential.password)
                lines.append(.state, mark)
            }
            return lines.finish() ?? Secret([])
        }
    }
}

extension SecretLines {
    fileprivate mutating func append(_ attribute: Attribute, _ value: some Collection<UInt8>) {
        append(words: attribute.rawValue)
        append(words: "=")
        append(value: value)
        append(words: "\n")
    }

    fileprivate mutating func append(_ attribute: Attribute, _ value: Secret) { value.reveal { append(attribute, $0) } }
}
