/// An access token, with its refresh token if it has one.
package struct IssuedToken: Sendable {
    package let accessToken: String
    package let refreshToken: String?
    package let clientID: String
    package let login: String
    package let scopes: [String]
    /// The installation that it is of; nil for a person's.
    package internal(set) var installation: InstalledApp.Installation?
    /// The repositories of the installation that it is for, by name; nil for all of them.
    package internal(set) var repositories: [String]?
    /// What an installation's token may do.
    package internal(set) var permissions: [String: String] = [:]
    /// Seconds since 1970; nil: never.
    package internal(set) var accessExpiry: Double?
    /// Seconds since 1970; nil: never, or no refresh token.
    package internal(set) var refreshExpiry: Double?
    /// Revoked, or replaced by a refresh.
    package internal(set) var isAccessRevoked = false
    package internal(set) var isRefreshRevoked = false
    /// The refresh token has been used: a second use is an error that is counted.
    package internal(set) var isRefreshSpent = false

    /// Whether the access token is accepted at `now` (seconds since 1970).
    func isAccessLive(at now: Double) -> Bool {
        !isAccessRevoked && accessExpiry.map { now < $0 } ?? true
    }

    /// Whether the refresh token is accepted at `now` (seconds since 1970).
    func isRefreshLive(at now: Double) -> Bool {
        refreshToken != nil && !isRefreshRevoked && !isRefreshSpent && refreshExpiry.map { now < $0 } ?? true
    }
}

extension IssuedToken {
    /// A token that another server has issued, and vouches for.
    init(of login: String, issuedElsewhere accessToken: String) {
        self.init(accessToken: accessToken, refreshToken: nil, clientID: "", login: login, scopes: ["repo"])
    }
}
