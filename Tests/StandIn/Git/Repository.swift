/// A repository, and who may do what with it.
package struct Repository: Sendable {
    /// What a token may do.
    enum Access: Comparable {
        case none
        case read
        case write
    }

    let owner: String
    let name: String
    /// The number that the REST API knows it by.
    let id: Int
    var isPrivate: Bool
    var readers: Set<String>
    var writers: Set<String>
    /// Whose tokens have not been authorised for the owner's single sign-on.
    var withoutSingleSignOn: Set<String> = []
    /// Read-only for everybody.
    var isArchived = false

    /// What the holder of `token`, or an anonymous client, may do here.
    ///
    /// At GitHub, a token with scopes reaches a private repository only with `repo`, and writes to a public one only with that or
    /// `public_repo`. GitHub App tokens have no scopes. At GitLab the scopes are asked about apart
    /// (`gitLabRefusal`), after the right.
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
