/// A registered OAuth client, with the settings its owner would make at GitHub.
package struct App: Sendable {
    /// What kind of application this is; it decides about prefixes and scopes.
    package enum Kind: Sendable {
        /// Tokens `gho_`, rights by scopes.
        case oauthApp
        /// Tokens `ghu_`, no scopes.
        case gitHubApp
        /// No application: personal access tokens, `ghp_`, rights by scopes.
        case personal
    }

    /// How long the tokens of an app that lets them expire are good, in seconds.
    package struct TokenLifetime: Sendable {
        package var access: Double
        package var refresh: Double

        /// Makes a lifetime; the defaults are GitHub's: 8 hours and 184 days.
        package init(access: Double = 28_800, refresh: Double = 15_897_600) {
            self.access = access
            self.refresh = refresh
        }
    }

    package var clientID: String
    package var kind: Kind
    /// nil: tokens never expire and have no refresh token.
    package var lifetime: TokenLifetime?
    /// Needed to delete tokens and grants, and to refresh where `needsSecretToRefresh`.
    package var secret: String?
    package var needsSecretToRefresh = false
    /// "Enable Device Flow" in the app's settings.
    package var allowsDeviceFlow = true
    /// Seconds between two polls, announced and enforced; fractions are sent as they are.
    package var interval = 5.0
    /// Seconds by which every `slow_down` lengthens the interval.
    package var slowDownStep = 5.0
    /// Seconds for which a device code is good.
    package var codeLifetime = 900.0

    /// An OAuth App of the classic kind: tokens without an end.
    package static func oauthApp(
        clientID: String = "Ov23liStandInOAuthApp", interval: Double = 5, lifetime: TokenLifetime? = nil
    ) -> App {
        App(clientID: clientID, kind: .oauthApp, lifetime: lifetime, interval: interval)
    }

    /// A GitHub App with expiring tokens, GitHub's default.
    package static func gitHubApp(
        clientID: String = "Iv23liStandInGitHubApp", interval: Double = 5, lifetime: TokenLifetime? = TokenLifetime()
    ) -> App {
        App(clientID: clientID, kind: .gitHubApp, lifetime: lifetime, interval: interval)
    }

    /// Whose tokens people make by hand in their settings.
    package static let personalAccessTokens = App(clientID: "", kind: .personal, allowsDeviceFlow: false)

    /// What its access tokens begin with.
    var tokenPrefix: String {
        switch kind {
        case .oauthApp: "gho_"
        case .gitHubApp: "ghu_"
        case .personal: "ghp_"
        }
    }
}
