/// The attributes of git's credential protocol that we read or write (git-credential(1), "INPUT/OUTPUT FORMAT").
///
/// `url` is for people who call `git credential`: git takes it apart before it calls a helper, and we take nothing apart
/// that git has not. `quit` and `continue` are answers. All three are ignored in a request, as every unknown key is.
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

    /// The attribute of a key; nil for one that we do not know.
    init?(key: ArraySlice<UInt8>) {
        guard let known = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(key) }) else { return nil }
        self = known
    }

    /// The key as it stands on the wire.
    package var key: [UInt8] { Array(rawValue.utf8) }

    /// Whether a second line with another value is refused.
    ///
    /// Lists may repeat; the rest name one thing.
    var isSingular: Bool { !rawValue.hasSuffix("[]") }

    /// Whether the value names a place or a person, so that no control byte has any business in it.
    var isName: Bool {
        switch self {
        case .protocol, .host, .path, .username: true
        default: false
        }
    }
}
