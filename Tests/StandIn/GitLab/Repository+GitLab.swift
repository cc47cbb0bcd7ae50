extension Repository {
    /// The words of GitLab's `Gitlab::GitAccess`; nil lets the token in, which sees the project.
    func gitLabRefusal(of token: IssuedToken, isPush: Bool, host: String) -> String? {
        if isPush, !token.mayPush { return "You are not allowed to upload code." }
        if !token.mayFetch, isPrivate { return "You are not allowed to download code." }
        if withoutSingleSignOn.contains(token.login) {
            let group = owner.prefix { $0 != "/" }
            return "Cannot find valid SSO session. Please login via your group's SSO at "
                + "https://\(host)/groups/\(group)/-/saml/sso?token=kzSw6pzZ"
        }
        guard isPush, isArchived || access(with: token, at: .gitLab) < .write else { return nil }
        return "You are not allowed to push code to this project."
    }
}

extension IssuedToken {
    /// Whether its scopes let it fetch.
    fileprivate var mayFetch: Bool { has("api", "read_api", "read_repository", "write_repository") }
    /// Whether its scopes let it push.
    fileprivate var mayPush: Bool { has("api", "write_repository") }
    /// Whether its scopes open the API, but for who one is.
    var opensAPI: Bool { has("api", "read_api") }
    /// Whether its scopes tell who one is.
    var opensUser: Bool { has("api", "read_api", "read_user") }

    func has(_ names: String...) -> Bool { !Set(names).isDisjoint(with: scopes) }
}
