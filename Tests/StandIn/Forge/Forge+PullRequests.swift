import FoundationEssentials

package struct StoredPullRequest: Sendable, Equatable {
    package let number: Int
    package let title: String
    package let body: String
    package let head: String
    package let base: String
    package let isDraft: Bool
}

/// Pull requests, by the documents of the three APIs: one numbered list in each repository, open ones alone.
extension Forge {
    /// The bodies of the three requests; what is not named here is read by nobody, and tests compare bodies whole.
    private struct Creation: Decodable {
        let title: String?
        let head: String?
        let base: String?
        let body: String?
        let draft: Bool?
        let source_branch: String?
        let target_branch: String?
        let description: String?
    }

    func answerPullRequests(_ request: Request) -> Answer {
        guard let token = bearer(of: request) else { return failure(401, "Bad credentials") }
        if let refusal = refusal(of: token, request) { return refusal }
        let parts = request.apiParts(of: service).dropFirst().dropLast().joined(separator: "/")
        let slug = parts.lowercased().replacing("%2f", with: "/")
        guard let repository = repository(slug, for: token) else {
            return failure(404, service == .gitLab ? "404 Project Not Found" : "Not Found")
        }
        let name = "\(repository.owner)/\(repository.name)"
        return request.method == "POST" ? create(request, in: name, slug) : list(request, in: name, slug)
    }

    /// The answer to a token that reaches the repository, and may not do this; nil if it may.
    private func refusal(of token: IssuedToken, _ request: Request) -> Answer? {
        let isPost = request.method == "POST"
        switch service {
        case .gitHub:
            guard token.accessToken.hasPrefix("ghu_") || token.installation != nil else { return nil }
            let permissions =
                token.installation == nil
                ? withState { $0.server.apps[token.clientID]?.permissions ?? [:] } : token.permissions
            let right = permissions["pull_requests"]
            return right == "write" || right == "read" && !isPost
                ? nil : failure(403, "Resource not accessible by integration")
        case .gitLab:
            return token.has("api") || token.opensAPI && !isPost
                ? nil : insufficientScope(isPost ? "api" : "api read_api")
        case .gitea:
            return token.has("all", "write:repository") || token.has("read:repository") && !isPost
                ? nil : failure(403, "token does not have at least one of required scope(s): [write:repository]")
        }
    }

    private func list(_ request: Request, in name: String, _ slug: String) -> Answer {
        let query = request.query
        let owner = name.prefix { $0 != "/" }
        let found = withState { $0.pullRequests[slug] ?? [] }.filter { (entry: StoredPullRequest) -> Bool in
            let wanted: [(String, String)] =
                switch service {
                case .gitHub: [("head", "\(owner):\(entry.head)"), ("base", entry.base)]
                case .gitLab: [("source_branch", entry.head), ("target_branch", entry.base)]
                // Gitea before 1.25 filters by no branch.
                case .gitea: []
                }
            return wanted.allSatisfy { query[$0.0] == nil || query[$0.0] == $0.1 }
        }
        let entries = found.reversed().map { Fields.json(.object(fields($0, in: name, request.host))) }
        return .text("[\(entries.joined(separator: ","))]", type: "application/json; charset=utf-8")
    }

    private func create(_ request: Request, in name: String, _ slug: String) -> Answer {
        guard let form = try? JSONDecoder().decode(Creation.self, from: Data(request.body)) else {
            return failure(400, "Problems parsing JSON")
        }
        guard let title = form.title, !title.isEmpty, let head = form.head ?? form.source_branch,
            let base = form.base ?? form.target_branch
        else { return failure(422, "Validation Failed") }
        func commit(_ branch: String) -> String? {
            try? files.git(["-C", files.path(name), "rev-parse", "--verify", "--quiet", "refs/heads/\(branch)"])
                .split(separator: "\n").first.map(String.init)
        }
        guard let ours = commit(head) else { return missing("head", of: head) }
        guard commit(base) != nil else { return missing("base", of: base) }
        let range = ["-C", files.path(name), "rev-list", "--count", "\(base)..\(head)", "--"]
        if service == .gitHub, (try? files.git(range)) == "0\n" {
            return invalid("No commits between \(base) and \(head)")
        }
        let body = form.body ?? form.description ?? ""
        let opened: (entry: StoredPullRequest, isNew: Bool) = withState { state in
            let all = state.pullRequests[slug] ?? []
            if let entry = all.first(where: { $0.head == head && $0.base == base }) { return (entry, false) }
            let entry = StoredPullRequest(
                number: all.count + 7, title: title, body: body, head: head, base: base, isDraft: form.draft ?? false)
            state.pullRequests[slug] = all + [entry]
            return (entry, true)
        }
        let number = opened.entry.number
        guard opened.isNew else {
            return switch service {
            case .gitHub: invalid("A pull request already exists for \(name.prefix { $0 != "/" }):\(head).")
            case .gitea: failure(409, "pull request already exists for these targets [id: 1, issue_id: \(number)]")
            case .gitLab: errors(409, "Another open merge request already exists for this source branch: !\(number)")
            }
        }
        let ref = service == .gitLab ? "refs/merge-requests/\(number)/head" : "refs/pull/\(number)/head"
        _ = try? files.git(["-C", files.path(name), "update-ref", ref, ours])
        return .json(fields(opened.entry, in: name, request.host), status: 201)
    }

    private func missing(_ field: String, of branch: String) -> Answer {
        switch service {
        case .gitHub: invalid(["field": .text(field), "code": "invalid"])
        case .gitea: failure(404, "The target couldn't be found.")
        case .gitLab: errors(422, "\(field == "head" ? "Source" : "Target") branch \"\(branch)\" does not exist")
        }
    }

    private func invalid(_ message: String) -> Answer { invalid(["code": "custom", "message": .text(message)]) }

    private func invalid(_ fields: Fields) -> Answer {
        .json(["message": "Validation Failed", "errors": .list([.object(fields)])], status: 422)
    }

    /// GitLab's answer with a list of one message.
    private func errors(_ status: Int, _ message: String) -> Answer {
        .json(["message": .list([.text(message)])], status: status)
    }

    private func fields(_ entry: StoredPullRequest, in name: String, _ host: String) -> Fields {
        let number = Double(entry.number)
        guard service != .gitLab else {
            return [
                "id": .number(number + 1_000), "iid": .number(number), "project_id": .number(7),
                "title": .text(entry.title), "description": .text(entry.body), "state": "opened",
                "source_branch": .text(entry.head), "target_branch": .text(entry.base),
                "source_project_id": .number(7), "target_project_id": .number(7),
                "web_url": .text("https://\(host)/\(name)/-/merge_requests/\(entry.number)"),
            ]
        }
        let repository = Fields.Value.object(["full_name": .text(name)])
        return [
            "id": .number(number + 1_000), "number": .number(number), "state": "open", "title": .text(entry.title),
            "body": .text(entry.body), "draft": .flag(entry.isDraft),
            "head": .object(["ref": .text(entry.head), "repo": repository]),
            "base": .object(["ref": .text(entry.base), "repo": repository]),
            // Not on this host: nobody may take it from there.
            "html_url": .text("https://elsewhere.example/\(name)/pull/\(entry.number)"),
        ]
    }
}

extension StandIn {
    /// The open pull requests of a repository, oldest first.
    package func pullRequests(in slug: String = "acme/private") -> [StoredPullRequest] {
        forge.withState { $0.pullRequests[slug] ?? [] }
    }
}
