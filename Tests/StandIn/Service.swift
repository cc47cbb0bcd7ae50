/// The service that a stand-in plays.
package enum Service: String, CaseIterable, Sendable {
    /// GitHub, with an API host beside github.com, and as Enterprise Server elsewhere.
    case gitHub = "github"
    /// GitLab, on gitlab.com and elsewhere.
    case gitLab = "gitlab"

    /// The host that is built in, where the service is everybody's.
    package var host: String {
        switch self {
        case .gitHub: "github.com"
        case .gitLab: "gitlab.com"
        }
    }

    /// The usual kind of app that people register, whose tokens end where the service knows no others.
    package func app(interval: Double = 5) -> App {
        switch self {
        case .gitHub: .oauthApp(interval: interval)
        case .gitLab: .gitLabApplication(interval: interval)
        }
    }

    /// An app whose tokens end, and are refreshed.
    package func refreshingApp(interval: Double = 5, lifetime: Double? = nil) -> App {
        var app: App =
            switch self {
            case .gitHub: .gitHubApp(interval: interval)
            case .gitLab: .gitLabApplication(interval: interval)
            }
        if let lifetime { app.lifetime?.access = lifetime }
        return app
    }

    /// What a token needs for clone and push.
    package var scopes: [String] {
        switch self {
        case .gitHub: ["repo", "workflow", "gist"]
        case .gitLab: ["read_repository", "write_repository", "read_user"]
        }
    }

    /// The page on which a person types their code.
    var verificationPath: String {
        switch self {
        case .gitHub: "/login/device"
        case .gitLab: "/oauth/device"
        }
    }
}
