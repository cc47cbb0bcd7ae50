package import CredentialCore

/// The rights in a project, by "Retrieve a project" and by git's own protocol.
///
/// A sign-in does not request the API's scope `read_api`, which git does not need. git's first request of a clone or
/// push needs only the scopes of that operation.
extension GitLab {
    package func repositoryName(_ segments: [String]) -> String? {
        // Groups contain groups; in a browser, the parts after `/-/` are a page of the project.
        let path = segments.prefix { $0 != "-" }
        return path.count < 2 ? nil : path.joined(separator: "/")
    }

    package func repository(
        _ name: String, as credential: StoredCredential?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let id = name.split(separator: "/").joined(separator: "%2F")
        let response = try transport.send(request("/projects/\(id)", token: credential?.password))
        switch response.status {
        case 200:
            guard let project = Project(response) else { return .malformed }
            guard let credential, !project.isArchived else { return .reached(project.rights()) }
            return try pushing(name, credential, project, over: transport)
        case 403:
            guard let credential else { return .refused(status: 403) }
            return try pushing(name, credential, nil, over: transport)
        default: return RepositoryAnswer(response)
        }
    }

    private struct Project {
        let mayPush: Bool
        let isArchived: Bool

        /// Returns `nil` if the answer describes no project.
        init?(_ response: HTTPResponse) {
            guard let body = response.json, body["id"] != nil else { return nil }
            let levels = ["project_access", "group_access"].compactMap {
                body["permissions"]?[$0]?["access_level"]?.wholeNumber
            }
            // A Developer may push ("Roles").
            mayPush = levels.contains { $0 >= 30 }
            isArchived = body["archived"]?.bool ?? false
        }

        func rights(missingScope: String? = nil) -> RepositoryRights {
            RepositoryRights(mayPush: mayPush, missingScope: missingScope, isArchived: isArchived)
        }
    }

    // MARK: git's protocol

    private func pushing(
        _ name: String, _ credential: StoredCredential, _ project: Project?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let missing: String?
        switch try askGit(.push, name, credential, over: transport) {
        case .reached(let rights) where rights.mayPush: return .reached(rights)
        case .reached: missing = nil
        case .scopeMissing(let scope): missing = scope
        case let answer: return answer
        }
        if let project { return .reached(project.rights(missingScope: missing)) }
        let fetch = try askGit(.fetch, name, credential, over: transport)
        // GitLab does not tell a token without the scope whether the account may push.
        return fetch.isReached ? .reached(RepositoryRights(mayPush: missing != nil, missingScope: missing)) : fetch
    }

    private func askGit(
        _ probe: GitProbe, _ name: String, _ credential: StoredCredential, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        try probe.answer(at: name + ".git", on: host.origin, as: credential.authorization, over: transport) {
            refusal($0.body.reveal { String(decoding: $0.prefix(2_048), as: UTF8.self) }, of: probe)
        }
    }

    /// Interprets the sentences of GitLab's `Gitlab::GitAccess`, which are never shown.
    private func refusal(_ text: String, of probe: GitProbe) -> RepositoryAnswer {
        if text.contains("not allowed to upload code.") || text.contains("not allowed to download code.") {
            return .scopeMissing(probe == .push ? "write_repository" : "read_repository")
        }
        if text.contains("not allowed to push code") || text.contains("not allowed to download code from") {
            return probe == .push ? .reached(RepositoryRights(mayPush: false)) : .notFound
        }
        if text.contains("SSO session") {
            let url = text.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
            return .singleSignOnRequired(
                page: HTTPSAddress.page(url, on: host.origin, like: ["/groups/*/-/saml/sso"], query: "token"))
        }
        return text.contains("has been blocked") ? .blocked : .refused(status: 403)
    }
}
