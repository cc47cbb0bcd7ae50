/// An access token, with its refresh token if there is one.
package struct IssuedToken: Sendable {
    package let accessToken: String
    package let refreshToken: String?
    package let clientID: String
    package let login: String
    package let scopes: [String]
    /// The installation that owns the token; `nil` for a person's token.
    package internal(set) var installation: InstalledApp.Installation?
    /// The names of the installation's repositories that the token reaches; `nil` for all of them.
    package internal(set) var repositories: [String]?
    /// The permissions of an installation's token.
    package internal(set) var permissions: [String: String] = [:]
    /// The access token's expiry, in seconds since 1970; `nil` for never.
    package internal(set) var accessExpiry: Double?
    /// The refresh token's expiry, in seconds since 1970; `nil` for never, or if there is none.
    package internal(set) var refreshExpiry: Double?
    /// Whether the access token was revoked, or replaced by a refresh.
    package internal(set) var isAccessRevoked = false
    package internal(set) var isRefreshRevoked = false
    /// Whether the refresh token has been used; a second use is counted as an error.
    package internal(set) var isRefreshSpent = false

    /// Whether the access token is valid at `now`, in seconds since 1970.
    func isAccessLive(at now: Double) -> Bool { !isAccessRevoked && accessExpiry.map { now < $0 } ?? true }

    /// Whether the refresh token is valid at `now`, in seconds since 1970.
    func isRefreshLive(at now: Double) -> Bool {
        refreshToken != nil && !isRefreshRevoked && !isRefreshSpent && refreshExpiry.map { now < $0 } ?? true
    }
}
