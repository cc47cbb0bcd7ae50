package import CredentialCore

/// What may be done in a project: by "Retrieve a project", and by what git itself would be told.
///
/// The API wants the scope `read_api`, which git needs for nothing, and which a sign-in therefore does not ask for; git's
/// own first request, of clone or push, is answered by the very scopes that it is about.
extension GitLab {
    package func repositoryName(_ segments: [String]) -> String? {
        // Groups contain groups; what follows `/-/` in a browser is a page of the project.
        let path = segments.prefix { $0 != "-" }
        return path.count < 2 ? nil : path.joined(separator: "/")
    }

    package func repository(
        _ name: String, on host: SignInHost, token: Secret?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let id = name.split(separator: "/").joined(separator: "%2F")
        let response = try transport.send(api("/projects/\(id)", of: host, token: token))
        switch response.status {
        case 200:
            guard let project = Project(response) else { return .malformed }
            guard let token, !project.isArchived else { return .reached(project.rights(missingScope: nil)) }
            return try pushing(name, on: host, token, project, over: transport)
        // "Projects API": the new path is told by a redirect, which is not followed, since the token would go along.
        case 301, 302, 307, 308: return .moved
        case 401: return .tokenRejected
        case 403:
            guard let token else { return .refused(status: 403) }
            return try pushing(name, on: host, token, nil, over: transport)
        case 404: return .notFound
        case 429: return Self.rateLimited(response)
        case 500...: return .unavailable(status: response.status)
        default: return .malformed
        }
    }

    /// What the API tells of a project.
    private struct Project {
        let mayPush: Bool
        let isArchived: Bool

        /// Reads an answer; nil if it describes no project.
        init?(_ response: HTTPResponse) {
            guard let body = JSONValue(parsing: response.body), body["id"] != nil else { return nil }
            let levels = ["project_access", "group_access"].compactMap {
                Self.number(body["permissions"]?[$0]?["access_level"])
            }
            // "Roles": a Developer may push.
            mayPush = levels.contains { $0 >= 30 }
            isArchived = body["archived"]?.bool ?? false
        }

        private static func number(_ value: JSONValue?) -> Int64? {
            guard case .number(let digits)? = value else { return nil }
            return DecimalNumber.parse(digits.utf8)
        }

        func rights(missingScope: String?) -> RepositoryRights {
            RepositoryRights(
                mayPush: mayPush, missingScope: missingScope, workflows: .notSeparate, isArchived: isArchived)
        }
    }

    // MARK: What git is told

    /// What git's first request is answered.
    private enum GitAnswer {
        case admitted
        /// The token's scopes do not suffice.
        case scopeMissing
        /// The account has no such right.
        case rightMissing
        case other(RepositoryAnswer)
    }

    private func pushing(
        _ name: String, on host: SignInHost, _ token: Secret, _ project: Project?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        func rights(mayPush: Bool, missingScope: String? = nil) -> RepositoryAnswer {
            .reached(
                RepositoryRights(
                    mayPush: mayPush, missingScope: missingScope, workflows: .notSeparate, isArchived: false))
        }
        let push = try ask("git-receive-pack", name, on: host, token, over: transport)
        switch push {
        case .admitted: return rights(mayPush: true)
        case .other(let answer): return answer
        case .scopeMissing, .rightMissing: break
        }
        let isScope = if case .scopeMissing = push { true } else { false }
        if let project { return .reached(project.rights(missingScope: isScope ? "write_repository" : nil)) }
        switch try ask("git-upload-pack", name, on: host, token, over: transport) {
        // Whether the account has the right, nobody says to a token that has not the scope.
        case .admitted: return rights(mayPush: isScope, missingScope: isScope ? "write_repository" : nil)
        case .scopeMissing: return .scopeMissing("read_repository")
        case .rightMissing: return .notFound
        case .other(let answer): return answer
        }
    }

    /// Asks as git does before a clone or a push (gitprotocol-http(5)).
    private func ask(
        _ service: String, _ name: String, on host: SignInHost, _ token: Secret, over transport: any Transport
    ) throws(TransportError) -> GitAnswer {
        let address = host.origin.appending("/\(name).git/info/refs?service=\(service)")
        let request = HTTPRequest(
            .get, address, authorization: .basic(username: anyUsername, password: token), accept: "*/*")
        do {
            return gitAnswer(try transport.send(request), on: host)
        } catch .tooLarge {
            // A refusal is a line; what is beyond our limit is the list of many branches.
            return .admitted
        }
    }

    private func gitAnswer(_ response: HTTPResponse, on host: SignInHost) -> GitAnswer {
        switch response.status {
        case 200: return .admitted
        case 301, 302, 307, 308: return .other(.moved)
        case 401: return .other(.tokenRejected)
        case 403: return refusal(String(decoding: response.body.prefix(2_048), as: UTF8.self), on: host)
        case 404: return .other(.notFound)
        case 429: return .other(Self.rateLimited(response))
        case 500...: return .other(.unavailable(status: response.status))
        default: return .other(.malformed)
        }
    }

    /// The sentences of GitLab's `Gitlab::GitAccess`, which are looked for and never shown.
    private func refusal(_ text: String, on host: SignInHost) -> GitAnswer {
        if text.contains("not allowed to upload code.") || text.contains("not allowed to download code.") {
            return .scopeMissing
        }
        if text.contains("not allowed to push code") || text.contains("not allowed to download code from") {
            return .rightMissing
        }
        if text.contains("SSO session") {
            let page = text.split(whereSeparator: \.isWhitespace).last.flatMap {
                singleSignOnPage(String($0), on: host)
            }
            return .other(.singleSignOnRequired(page: page))
        }
        if text.contains("has been blocked") { return .other(.blocked) }
        return .other(.refused(status: 403))
    }

    /// The page is put together from the two words that it takes from the server, and is nil for any other page: one on
    /// the same host may do something in the person's name.
    private func singleSignOnPage(_ url: String, on host: SignInHost) -> HTTPSAddress? {
        guard let address = HTTPSAddress(parsing: url), address.isSameOrigin(as: host.origin) else { return nil }
        let parts = address.path.split(separator: "?", omittingEmptySubsequences: false)
        let folders = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, folders.count == 6, folders[0].isEmpty, folders[1] == "groups",
            Self.isWord(folders[2]), folders[3...] == ["-", "saml", "sso"],
            let page = page(.singleSignOn(organisation: String(folders[2])), on: host)
        else { return nil }
        guard parts.count == 2 else { return page }
        let field = parts[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard field.count == 2, field[0] == "token", Self.isWord(field[1]) else { return nil }
        return page.appending("?token=\(field[1])")
    }

    /// Letters, digits, `-` and `_`: nothing that separates, escapes or leads elsewhere.
    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == 0x2d || $0 == 0x5f }
    }

    private static func rateLimited(_ response: HTTPResponse) -> RepositoryAnswer {
        .rateLimited(until: response.header("ratelimit-reset").flatMap { DecimalNumber.parse($0) })
    }
}
