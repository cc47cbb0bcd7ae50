/// What a script may want to know, one fact a line.
struct Report {
    private let github: StandIn

    /// Reports on one stand-in.
    init(_ github: StandIn) { self.github = github }

    /// How often what happened, as `NAME=NUMBER`.
    var counts: String {
        func sum(_ endpoints: Endpoint...) -> Int { endpoints.map(github.count).reduce(0, +) }
        return Self.lines([
            "DEVICE_CODES=\(sum(.deviceCode))",
            "POLLS=\(sum(.poll))",
            "TOKEN_GRANTS=\(github.completedSignIns)",
            "REFRESHES=\(sum(.refresh))",
            "REUSES=\(github.refreshTokenReuses)",
            "API_REQUESTS=\(sum(.user, .repository, .meta, .tokenInfo))",
            "REVOCATIONS=\(sum(.revokeCredentials, .deleteToken, .deleteGrant, .revoke))",
            "GIT_REQUESTS=\(sum(.gitRefs, .gitFetch, .gitPush))",
            "ALL_REQUESTS=\(github.requests.count)",
        ])
    }

    /// Every request: endpoint, method, host, target and form, with every issued secret blotted out.
    var requests: String {
        let text = Self.lines(
            github.requests.map { endpoint, request in
                let form = request.form.isEmpty ? "" : " \(request.bodyText)"
                return "\(endpoint.rawValue) \(request.method) \(request.host) \(request.target)\(form)"
            })
        return github.issuedSecrets.reduce(text) { $0.replacing($1, with: "<redacted>") }
    }

    /// Each text on a line of its own.
    static func lines(_ texts: [String]) -> String {
        texts.map { $0 + "\n" }.joined()
    }
}
