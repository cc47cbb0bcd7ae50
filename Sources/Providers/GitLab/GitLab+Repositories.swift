package import CredentialCore

/// The rights in a project, by "Retrieve a project" and by git's own protocol.
///
/// The API needs the scope `read_api`, which git does not, so a sign-in does not request it. git's first request of a
/// clone or push needs the very scopes in question.
extension GitLab {
    package func repositoryName(_ segments: [String]) -> String? {
        // Groups contain groups; in a browser, the parts after `/-/` are a page of the project.
        let path = segments.prefix { $0 != "-" }
        return path.count < 2 ? nil : path.joined(separator: "/")
    }

    package func repository(
        _ name: String, token: Secret?, asBearer _: Bool, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let id = name.split(separator: "/").joined(separator: "%2F")
        let response = try transport.send(request("/projects/\(id)", token: token))
        switch response.status {
        case 200:
            guard let project = Project(response) else { return .malformed }
            guard let token, !project.isArchived else { return .reached(project.rights()) }
            return try pushing(name, token, project, over: transport)
        case 403:
            guard let token else { return .refused(status: 403) }
            return try pushing(name, token, nil, over: transport)
        default: return RepositoryAnswer(response)
        }
    }

    /// A project in an answer of the API.
    private struct Project {
        let mayPush: Bool
        let isArchived: Bool

        /// Reads an answer; returns `nil` if it describes no project.
        init?(_ response: HTTPResponse) {
            guard let body = response.json, body["id"] != nil else { return nil }
            let levels = ["project_access", "group_access"].compactMap {
                body["permissions"]?[$0]?["access_level"]?.wholeNumber
            }
            // "Roles": a Developer may push.
            mayPush = levels.contains { $0 >= 30 }
            isArchived = body["archived"]?.bool ?? false
        }

        func rights(missingScope: String? = nil) -> RepositoryRights {
            RepositoryRights(mayPush: mayPush, missingScope: missingScope, isArchived: isArchived)
        }
    }

    // MARK: git's protocol

    /// The answer to git's first request.
    private enum GitAnswer {
        case admitted
        /// The token's scopes do not suffice.
        case scopeMissing
        /// The account lacks the right.
        case rightMissing
        case other(RepositoryAnswer)
    }

    private func pushing(
        _ name: String, _ token: Secret, _ project: Project?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let missing: String?
        switch try askGit(.push, name, token, over: transport) {
        case .admitted: return .reached(RepositoryRights(mayPush: true))
        case .other(let answer): return answer
        case .scopeMissing: missing = "write_repository"
        case .rightMissing: missing = nil
        }
        if let project { return .reached(project.rights(missingScope: missing)) }
        switch try askGit(.fetch, name, token, over: transport) {
        // GitLab does not reveal the account's rights to a token without the scope.
        case .admitted: return .reached(RepositoryRights(mayPush: missing != nil, missingScope: missing))
        case .scopeMissing: return .scopeMissing("read_repository")
        case .rightMissing: return .notFound
        case .other(let answer): return answer
        }
    }

    private func askGit(
        _ probe: GitProbe, _ name: String, _ token: Secret, over transport: any Transport
    ) throws(TransportError) -> GitAnswer {
        let response = try ask(probe, at: name + ".git", token: token, over: transport)
        return switch response.status {
        case 200: .admitted
        case 403: refusal(response.body.reveal { String(decoding: $0.prefix(2_048), as: UTF8.self) })
        default: .other(RepositoryAnswer(response))
        }
    }

    /// Recognises the sentences of GitLab's `Gitlab::GitAccess`, which are never shown.
    private func refusal(_ text: String) -> GitAnswer {
        if text.contains("not allowed to upload code.") || text.contains("not allowed to download code.") {
            return .scopeMissing
        }
        if text.contains("not allowed to push code") || text.contains("not allowed to download code from") {
            return .rightMissing
        }
        if text.contains("SSO session") {
            let url = text.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
            let page = HTTPSAddress.page(url, on: host.origin, like: ["/groups/*/-/saml/sso"], query: "token")
            return .other(.singleSignOnRequired(page: page))
        }
        if text.contains("has been blocked") { return .other(.blocked) }
        return .other(.refused(status: 403))
    }
}
