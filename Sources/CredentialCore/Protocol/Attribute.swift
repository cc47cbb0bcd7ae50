/// An attribute that we read or write (git-credential(1), "INPUT/OUTPUT FORMAT").
///
/// `url` is absent, since git parses it before it calls a helper. `quit` is only in answers, and ignored in a request
/// like every unknown key.
package enum Attribute: String, CaseIterable {
    case `protocol`
    case host
    case path
    case username
    case password
    case passwordExpiryUTC = "password_expiry_utc"
    case oauthRefreshToken = "oauth_refresh_token"
    case wwwauth = "wwwauth[]"
    case capability = "capability[]"
    case state = "state[]"
    case authtype
    case credential
    case ephemeral
    case quit

    init?(key: UnsafeRawBufferPointer) {
        guard let known = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(key) }) else { return nil }
        self = known
    }

    /// Whether two lines must have the same value; lists may repeat.
    var isSingular: Bool { !rawValue.hasSuffix("[]") }

    /// Whether the value names a place or a person, and therefore may not contain control bytes.
    var isName: Bool {
        switch self {
        case .protocol, .host, .path, .username: true
        default: false
        }
    }
}

/// A capability, which both sides announce before they use its attributes (git-credential(1), "INPUT/OUTPUT FORMAT").
package enum Capability: String, CaseIterable {
    /// Permits `authtype`, `credential` and `ephemeral`, for hosts that need Bearer instead of Basic.
    case authtype
    /// Permits `state[]` and `continue`.
    case state

    package static let announcement = Array("version 0\ncapability authtype\ncapability state\n".utf8)
}

/// The `state[]` value by which a later `store` or `erase` recognises a credential that we returned.
///
/// The value is a digest, since git passes it to every helper in the chain. A constant value would make us ignore
/// another helper's credential (git 2.53, 4580bcd235).
package enum StateValue {
    /// The prefix of our states, as git-credential(1) recommends.
    static let prefix = Array("gitspace:".utf8)

    /// `gitspace:` and 64 hexadecimal digits.
    package static func of(host: [UInt8], username: [UInt8], password: Secret) -> [UInt8] {
        var digest = SHA256()
        digest.update(field: host)
        digest.update(field: username)
        password.reveal { digest.update(field: $0) }
        return prefix + digest.finish()
    }
}

extension Request {
    package var carriesOurState: Bool {
        guard !state.isEmpty, let secret, let username = hasAuthtype ? username ?? [] : username else { return false }
        return state.contains(StateValue.of(host: host, username: username, password: secret))
    }
}
