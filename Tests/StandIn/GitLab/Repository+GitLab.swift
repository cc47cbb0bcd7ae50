extension Repository {
    /// The text of `Gitlab::GitAccess` for a token that sees the project but may not do this; `nil` if it may.
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
    fileprivate var mayFetch: Bool { has("api", "read_api", "read_repository", "write_repository") }
    fileprivate var mayPush: Bool { has("api", "write_repository") }
    /// Whether the scopes open the API beyond `/user`.
    var opensAPI: Bool { has("api", "read_api") }
    /// Whether the scopes open `/user`.
    var opensUser: Bool { has("api", "read_api", "read_user") }

    func has(_ names: String...) -> Bool { !Set(names).isDisjoint(with: scopes) }
}
