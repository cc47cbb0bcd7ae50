/// The attributes of git's credential protocol that we read or write (git-credential(1), "INPUT/OUTPUT FORMAT").
///
/// `url` is for people who call `git credential`: git parses it before it calls a helper, and we parse no URL that git
/// has not parsed. `quit` and `continue` are only in answers. All three are ignored in a request, like every unknown
/// key.
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

    /// The attribute with a key; nil for an unknown key.
    init?(key: ArraySlice<UInt8>) {
        guard let known = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(key) }) else { return nil }
        self = known
    }

    /// The key as it is written in the protocol.
    package var key: [UInt8] { Array(rawValue.utf8) }

    /// Whether a second line with a different value is rejected.
    ///
    /// Lists may repeat; the other attributes have one value.
    var isSingular: Bool { !rawValue.hasSuffix("[]") }

    /// Whether the value names a place or a person, and therefore may not contain control bytes.
    var isName: Bool {
        switch self {
        case .protocol, .host, .path, .username: true
        default: false
        }
    }
}
