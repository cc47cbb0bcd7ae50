/// The service that a stand-in plays.
package enum Service: String, CaseIterable, Sendable {
    /// GitHub, with an API host beside github.com, and as Enterprise Server elsewhere.
    case gitHub = "github"
    /// GitLab, on gitlab.com and elsewhere.
    case gitLab = "gitlab"
    /// Gitea and Forgejo, on codeberg.org and elsewhere.
    case gitea

    /// Those where a code can be typed.
    package static let withDeviceFlow: [Service] = [.gitHub, .gitLab]
    /// Those where a browser on the same machine is enough.
    package static let withCodeFlow: [Service] = [.gitLab, .gitea]

    /// The host that is built in, where the service is everybody's.
    package var host: String {
        switch self {
        case .gitHub: "github.com"
        case .gitLab: "gitlab.com"
        case .gitea: "codeberg.org"
        }
    }

    /// The usual kind of app that people register, whose tokens end where the service knows no others.
    package func app(interval: Double = 5) -> App {
        switch self {
        case .gitHub: .oauthApp(interval: interval)
        case .gitLab: .gitLabApplication(interval: interval)
        case .gitea: .giteaApplication()
        }
    }

    /// An app whose tokens end, and are refreshed.
    package func refreshingApp(interval: Double = 5, lifetime: Double? = nil) -> App {
        var app: App =
            switch self {
            case .gitHub: .gitHubApp(interval: interval)
            case .gitLab: .gitLabApplication(interval: interval)
            case .gitea: .giteaApplication()
            }
        if let lifetime { app.lifetime?.access = lifetime }
        return app
    }

    /// What a token needs for clone and push.
    package var scopes: [String] {
        switch self {
        case .gitHub: ["repo", "workflow", "gist"]
        case .gitLab: ["read_repository", "write_repository", "read_user"]
        case .gitea: ["read:user", "write:repository"]
        }
    }

    /// The page on which a person types their code, where there is one.
    var verificationPath: String {
        switch self {
        case .gitHub: "/login/device"
        case .gitLab: "/oauth/device"
        case .gitea: ""
        }
    }
}
