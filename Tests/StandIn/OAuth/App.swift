/// A registered OAuth client, with the settings that its owner makes.
package struct App: Sendable {
    /// The kind of application, which determines token prefixes and scopes.
    package enum Kind: Sendable {
        /// An OAuth App of GitHub: tokens `gho_`, rights by scopes.
        case oauthApp
        /// A GitHub App: tokens `ghu_`, no scopes.
        case gitHubApp
        /// An application of GitLab: tokens without a prefix, rights by scopes.
        case gitLabApplication
        /// An application of Gitea or Forgejo: signed tokens, rights by scopes.
        case giteaApplication
        /// Personal access tokens, without an application: rights by scopes.
        case personal
    }

    /// The lifetimes of an app's expiring tokens, in seconds.
    package struct TokenLifetime: Sendable {
        package var access: Double
        package var refresh: Double

        /// The defaults are GitHub's: 8 hours and 184 days.
        package init(access: Double = 28_800, refresh: Double = 15_897_600) {
            self.access = access
            self.refresh = refresh
        }
    }

    package var clientID: String
    package var kind: Kind
    /// The lifetimes; `nil` for tokens that never expire and have no refresh token.
    package var lifetime: TokenLifetime?
    /// The lifetimes with `offline_access`, for an app whose tokens otherwise never expire; `nil` ignores the scope.
    package var shortLived: TokenLifetime?
    /// Whether "Enable Device Flow" is set in the app's settings.
    package var allowsDeviceFlow = true
    /// Seconds between two polls, announced and enforced; fractions are kept.
    package var interval = 5.0
    /// The lifetime of a code, in seconds.
    package var codeLifetime = 900.0
    /// The allowed redirect, at any port (RFC 8252, 7.3); `nil` for any address of the browser's machine.
    package var redirectURI: String?
    /// The permissions of a GitHub App wherever it is installed, which is everywhere.
    package var permissions = ["contents": "write", "metadata": "read"]

    /// A classic OAuth App: tokens do not expire.
    package static func oauthApp(
        clientID: String = "Ov23liStandInOAuthApp", interval: Double = 5, lifetime: TokenLifetime? = nil
    ) -> App { App(clientID: clientID, kind: .oauthApp, lifetime: lifetime, interval: interval) }

    /// A GitHub App with expiring tokens, GitHub's default.
    package static func gitHubApp(
        clientID: String = "Iv23liStandInGitHubApp", interval: Double = 5, lifetime: TokenLifetime? = TokenLifetime()
    ) -> App { App(clientID: clientID, kind: .gitHubApp, lifetime: lifetime, interval: interval) }

    /// An application of GitLab: tokens of two hours, refresh tokens without an end, codes of five minutes.
    package static func gitLabApplication(interval: Double) -> App {
        App(
            clientID: "5ecc2ce9cd4c2c93a01b3ba2c2eb35a10b1ee0a5a5a1a8a1b6ad0c0de5ab1e00", kind: .gitLabApplication,
            lifetime: TokenLifetime(access: 7_200, refresh: .infinity), interval: interval, codeLifetime: 300)
    }

    /// An application of Gitea: tokens of an hour, refresh tokens of 730 hours, codes of ten minutes.
    package static func giteaApplication() -> App {
        App(
            clientID: "4f2d5ab2-3c1e-4f2a-9c56-d08a3b5a1e77", kind: .giteaApplication,
            lifetime: TokenLifetime(access: 3_600, refresh: 2_628_000), allowsDeviceFlow: false, codeLifetime: 600)
    }

    /// The owner of personal access tokens, which people make in their settings.
    package static let personalAccessTokens = App(clientID: "", kind: .personal, allowsDeviceFlow: false)

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

    func newRefreshToken() -> String {
        switch kind {
        case .gitLabApplication: RandomText.hexadecimal(64)
        case .giteaApplication: RandomText.token("eyJhbGciOiJSUzI1NiJ9.", length: 170)
        case .oauthApp, .gitHubApp, .personal: RandomText.token("ghr_", length: 76)
        }
    }
}

/// Codes and tokens in the services' forms.
enum RandomText {
    private static let alphanumeric = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    private static let digits = Array("0123456789abcdef")

    static func token(_ prefix: String, length: Int = 36) -> String { prefix + characters(length, of: alphanumeric) }
    static func hexadecimal(_ count: Int) -> String { characters(count, of: digits) }

    /// Eight random characters with a hyphen in the middle.
    static func userCode() -> String { "\(hexadecimal(4))-\(hexadecimal(4))".uppercased() }

    private static func characters(_ count: Int, of alphabet: [Character]) -> String {
        String((0..<count).map { _ in alphabet[Int.random(in: alphabet.indices)] })
    }
}
