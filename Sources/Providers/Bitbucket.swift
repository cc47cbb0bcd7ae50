internal import CredentialCore

/// Bitbucket Cloud (support.atlassian.com, "Using API tokens"): a person makes a token there, and git uses it as a
/// password.
struct Bitbucket: Provider {
    static let facts = ProviderFacts(
        displayName: "Bitbucket", realms: ["Bitbucket", "Bitbucket.org HTTP"],
        // The documented name for scripts without an account name.
        anyUsername: "x-bitbucket-api-token-auth", nameSigns: "-_.", longestName: 255, takesBearer: true, scopes: "",
        // "Create an API token": a page of the Atlassian account.
        pages: [.newToken: "https://id.atlassian.com/manage-profile/security/api-tokens"],
        tokenPermissions: "read:repository:bitbucket, write:repository:bitbucket",
        // App passwords ended on 28 July 2026 ("Using app passwords").
        appPasswordPrefix: "ATBB", tokenCheck: .repository, reachPath: "/")

    let host: SignInHost
    init(_ host: SignInHost) { self.host = host }

    /// Tries a token with git's own protocol.
    ///
    /// `GET /2.0/user` needs the account's email address, and a permission that git does not need.
    func holder(
        of token: Secret, issuedTo _: OAuthClient?, at place: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder {
        guard let place else { return .unknown() }
        let credential = StoredCredential(username: Array(place.username.utf8), password: token)
        return Holder { () throws(TransportError) in
            switch try repository(place.repository, as: credential, over: transport) {
            case .reached(let rights): rights.isPublic == false ? .good : .unknown()
            // The service does not distinguish a wrong username or token from one for another repository.
            case .tokenRejected: .rejected
            default: .unknown()
            }
        }
    }

    func repository(
        _ name: String, as credential: StoredCredential?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let path = name + RepositoryPath.suffix
        let answer = try ask(.fetch, at: path, as: credential?.authorization ?? .none, over: transport)
        guard case .reached(var rights) = answer, credential != nil else { return answer }
        do throws(TransportError) {
            let open = try ask(.fetch, at: path, as: .none, over: transport)
            rights.isPublic = open.isReached ? true : [.tokenRejected, .notFound].contains(open) ? false : nil
        } catch {
            if error == .interrupted { throw error }
        }
        return .reached(rights)
    }
}

/// A host of an unknown kind.
struct GitServer: Provider {
    static let facts = ProviderFacts(
        displayName: "git", anyUsername: "", nameSigns: "-_.", longestName: 255, takesBearer: true, scopes: "",
        tokenCheck: .none, reachPath: "/")

    let host: SignInHost
    init(_ host: SignInHost) { self.host = host }
}
