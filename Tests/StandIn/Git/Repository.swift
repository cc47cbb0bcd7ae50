package struct Repository: Sendable {
    /// The rights of a token, in ascending order.
    enum Access: Comparable { case none, read, write }

    let owner: String
    let name: String
    /// The ID in the REST API.
    let id: Int
    var isPrivate: Bool
    var readers: Set<String>
    var writers: Set<String>
    /// The logins whose tokens are not authorised for the owner's single sign-on.
    var withoutSingleSignOn: Set<String> = []
    /// Whether nobody may push.
    var isArchived = false

    /// The rights of a token, or of an anonymous client, in this repository.
    ///
    /// At GitHub, a token with scopes reaches a private repository only with `repo`, and pushes to a public one only
    /// with `repo` or `public_repo`. Tokens of GitHub Apps have no scopes. GitLab's scopes are checked afterwards, in
    /// `gitLabRefusal`.
    func access(with token: IssuedToken?, at service: Service) -> Access {
        let anonymous = isPrivate ? Access.none : .read
        guard let token else { return anonymous }
        if let installation = token.installation {
            let includes = installation.includes(owner: owner, name: name) && token.repositories?.contains(name) ?? true
            guard includes else { return anonymous }
            return token.permissions["contents"] == "write" ? .write : .read
        }
        let isByScopes = service == .gitHub && !token.accessToken.hasPrefix("ghu_")
        let scopesSuffice = token.scopes.contains("repo") || (!isPrivate && token.scopes.contains("public_repo"))
        if isByScopes, !scopesSuffice { return anonymous }
        if writers.contains(token.login) { return .write }
        return readers.contains(token.login) ? .read : anonymous
    }
}
