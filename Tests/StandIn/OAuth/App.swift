/// A registered OAuth client, with the settings its owner would make.
package struct App: Sendable {
    /// What kind of application this is; it decides about prefixes and scopes.
    package enum Kind: Sendable {
        /// Tokens `gho_`, rights by scopes.
        case oauthApp
        /// Tokens `ghu_`, no scopes.
        case gitHubApp
        /// GitLab's: tokens without a prefix, rights by scopes.
        case gitLabApplication
        /// Gitea's and Forgejo's: tokens are signed, rights by scopes.
        case giteaApplication
        /// No application: personal access tokens, rights by scopes.
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
    /// What `offline_access` brings of an app whose tokens otherwise never expire; nil: the scope is passed over.
    package var shortLived: TokenLifetime?
    /// Whether a refresh without the app's secret is refused.
    package var refreshNeedsSecret = false
    /// "Enable Device Flow" in the app's settings.
    package var allowsDeviceFlow = true
    /// Seconds between two polls, announced and enforced; fractions are sent as they are.
    package var interval = 5.0
    /// Seconds for which a code is good.
    package var codeLifetime = 900.0
    /// Where a browser may come back to, at any port (RFC 8252, 7.3); nil: anywhere on its own machine.
    package var redirectURI: String?
    /// What a GitHub App may do where it is installed, which is everywhere.
    package var permissions = ["contents": "write", "metadata": "read"]

    /// An OAuth App of the classic kind: tokens that do not expire.
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

    /// GitLab's kind of app: tokens of two hours, with a refresh token that does not end; codes of five minutes.
    package static func gitLabApplication(interval: Double) -> App {
        App(
            clientID: "5ecc2ce9cd4c2c93a01b3ba2c2eb35a10b1ee0a5a5a1a8a1b6ad0c0de5ab1e00", kind: .gitLabApplication,
            lifetime: TokenLifetime(access: 7_200, refresh: .infinity), interval: interval, codeLifetime: 300)
    }

    /// Gitea's kind of app: tokens of an hour, with a refresh token of 730 hours; codes of ten minutes.
    package static func giteaApplication() -> App {
        App(
            clientID: "4f2d5ab2-3c1e-4f2a-9c56-d08a3b5a1e77", kind: .giteaApplication,
            lifetime: TokenLifetime(access: 3_600, refresh: 2_628_000), allowsDeviceFlow: false, codeLifetime: 600)
    }

    /// Whose tokens people make by hand in their settings.
    package static let personalAccessTokens = App(clientID: "", kind: .personal, allowsDeviceFlow: false)

    /// An access token in the form that tokens of such an app have.
    func newAccessToken(at service: Service) -> String {
        switch kind {
        case .oauthApp: RandomText.token("gho_")
        case .gitHubApp: RandomText.token("ghu_")
        case .gitLabApplication: RandomText.hexadecimal(64)
        case .giteaApplication: RandomText.token("eyJhbGciOiJSUzI1NiJ9.", length: 160)
        case .personal:
            switch service {
            case .gitHub: RandomText.token("ghp_")
            case .gitLab: RandomText.token("glpat-", length: 20)
            case .gitea: RandomText.hexadecimal(40)
            }
        }
    }

    /// The same for a refresh token.
    func newRefreshToken() -> String {
        switch kind {
        case .gitLabApplication: RandomText.hexadecimal(64)
        case .giteaApplication: RandomText.token("eyJhbGciOiJSUzI1NiJ9.", length: 170)
        case .oauthApp, .gitHubApp, .personal: RandomText.token("ghr_", length: 76)
        }
    }
}
