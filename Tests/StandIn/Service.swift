/// The service that a stand-in plays.
package enum Service: String, CaseIterable, Sendable {
    /// GitHub: the API of github.com has its own host; other hosts are Enterprise Servers.
    case gitHub = "github"
    case gitLab = "gitlab"
    /// Gitea and Forgejo, on codeberg.org or self-hosted.
    case gitea

    package static let withDeviceFlow: [Service] = [.gitHub, .gitLab]
    /// The services where a browser on the same machine completes the sign-in.
    package static let withCodeFlow: [Service] = [.gitLab, .gitea]

    /// The service's public host, which the program knows.
    package var host: String {
        switch self {
        case .gitHub: "github.com"
        case .gitLab: "gitlab.com"
        case .gitea: "codeberg.org"
        }
    }

    /// The usual kind of app; its tokens expire only if the service has no others.
    package func app(interval: Double = 5) -> App {
        switch self {
        case .gitHub: .oauthApp(interval: interval)
        case .gitLab: .gitLabApplication(interval: interval)
        case .gitea: .giteaApplication()
        }
    }

    /// An app whose tokens expire and can be refreshed.
    package func refreshingApp(interval: Double = 5, lifetime: Double? = nil) -> App {
        var app: App = self == .gitHub ? .gitHubApp(interval: interval) : app(interval: interval)
        if let lifetime { app.lifetime?.access = lifetime }
        return app
    }

    /// The scopes that clone and push require.
    package var scopes: [String] {
        switch self {
        case .gitHub: ["repo", "workflow", "gist"]
        case .gitLab: ["read_repository", "write_repository", "read_user"]
        case .gitea: ["read:user", "write:repository"]
        }
    }

    /// The path before those of the API, on the service's own host.
    var apiPrefix: String {
        switch self {
        case .gitHub: "/api/v3"
        case .gitLab: "/api/v4"
        case .gitea: "/api/v1"
        }
    }

    /// The path of the page where a person types the code; empty if the service has no device flow.
    var verificationPath: String {
        switch self {
        case .gitHub: "/login/device"
        case .gitLab: "/oauth/device"
        case .gitea: ""
        }
    }
}
