package import CredentialCore

/// A pull request (GitLab: merge request) to open between two branches of one repository.
package struct PullRequestProposal: Equatable, Sendable {
    package let title: String
    package let description: String
    /// The branch with the changes, without `refs/heads/`.
    package let head: String
    /// The target branch, or `nil` for the repository's default branch.
    package let base: String?
    package let isDraft: Bool

    package init(title: String, description: String, head: String, base: String?, isDraft: Bool) {
        self.title = title
        self.description = description
        self.head = head
        self.base = base
        self.isDraft = isDraft
    }

    /// The fields that every host has; `mark` begins the title of a draft.
    fileprivate func fields(
        into base: String, marking mark: String = "",
        as names: (head: String, base: String, description: String) = ("head", "base", "body")
    ) -> [String: JSONValue] {
        [
            "title": .string(Array(((isDraft ? mark : "") + title).utf8)), names.head: .string(Array(head.utf8)),
            names.base: .string(Array(base.utf8)), names.description: .string(Array(description.utf8)),
        ]
    }
}

package struct PullRequest: Equatable, Sendable {
    package let number: Int64
    package let base: String
    /// The page's address, built from the number without any text of the host.
    package let page: HTTPSAddress
}

/// The reason why a host opens no pull request.
package enum PullRequestFault: Error, Equatable {
    /// The account has no access, or the host does not answer.
    case access(RepositoryAnswer)
    /// The scope that the token lacks, or the permission that its app lacks.
    case permission(DisplayText)
    /// The host's own words, such as that there is no difference between the branches.
    case reason(DisplayText)
    case failed(TransportError)
}

/// The part of a host's REST API that opens pull requests in one repository.
package struct PullRequestAPI {
    let provider: any Provider
    /// The repository's path below the API.
    let repository: String
    /// The path below the repository.
    var collection = "/pulls"
    /// The member with the number in an answer.
    var number = "number"
    /// The path of a pull request's page below the host's origin, without the number.
    let page: String
    let fields: (PullRequestProposal, String) -> [String: JSONValue]
    /// The query for the open pull requests from a head into a base, or into any base; both are percent-encoded.
    let query: (String, String?) -> String
    /// Whether an entry of the list has this head and base, and no fork's head.
    let fits: (JSONValue, String, String?) -> Bool
    let fault: (HTTPResponse, Secret) -> PullRequestFault

    /// The most bytes of an answer, which repeats the description with escapes.
    private static let largestAnswer = 1 << 20
    /// Milliseconds before the deadline, reserved for finding out what a request without an answer has done.
    private static let reserve: Int64 = 5_000

    /// Opens a pull request unless one is open for the same branches; nothing is sent twice.
    ///
    /// The deadline is in milliseconds of uptime.
    package func open(
        _ proposal: PullRequestProposal, token: Secret, until deadline: Int64, over transport: any Transport
    ) throws(PullRequestFault) -> (pullRequest: PullRequest, isNew: Bool) {
        let usual = deadline - Self.reserve
        let base = if let base = proposal.base { base } else { try defaultBranch(token, usual, transport) }
        if let open = try find(head: proposal.head, base: base, token: token, until: usual, over: transport) {
            return (open, false)
        }
        let body = HTTPRequest.Body.json(JSONValue.object(fields(proposal, base)).serialized)
        let failure: PullRequestFault
        do throws(TransportError) {
            let response = try send(collection, token, usual, transport, .post, body)
            if let opened = response.status == 201 ? pullRequest(response.json, base) : nil { return (opened, true) }
            failure = response.status == 201 ? .access(.malformed) : fault(response, token)
        } catch {
            failure = .failed(error)
        }
        // The host may have opened the pull request although its answer is lost.
        guard failure != .failed(.interrupted),
            let open = try? find(head: proposal.head, base: base, token: token, until: deadline, over: transport)
        else { throw failure }
        if case .reason = failure { return (open, false) }
        return (open, true)
    }

    /// Finds the open pull request from a branch into a base, or into any base.
    package func find(
        head: String, base: String?, token: Secret, until deadline: Int64, over transport: any Transport
    ) throws(PullRequestFault) -> PullRequest? {
        func encoded(_ branch: String) -> String {
            String(decoding: PercentEncoding.encoded(branch.utf8) { ASCII.isPlain([$0], with: "-._~") }, as: UTF8.self)
        }
        let path = "\(collection)?\(query(encoded(head), base.map(encoded)))"
        guard case .array(let entries)? = try answer(path, token, deadline, transport).json else {
            throw .access(.malformed)
        }
        return entries.first { fits($0, head, base) }.flatMap { pullRequest($0, base ?? "") }
    }

    private func defaultBranch(
        _ token: Secret, _ deadline: Int64, _ transport: any Transport
    ) throws(PullRequestFault) -> String {
        guard let name = try answer("", token, deadline, transport).json?.text("default_branch"),
            let branch = String(validating: name, as: UTF8.self)
        else { throw .access(.malformed) }
        return branch
    }

    private func pullRequest(_ entry: JSONValue?, _ base: String) -> PullRequest? {
        entry?[number]?.wholeNumber.map {
            PullRequest(number: $0, base: base, page: provider.host.origin.appending("\(page)\($0)"))
        }
    }

    private func send(
        _ path: String, _ token: Secret, _ deadline: Int64, _ transport: any Transport,
        _ method: HTTPRequest.Method = .get, _ body: HTTPRequest.Body = .none
    ) throws(TransportError) -> HTTPResponse {
        var request = provider.request(repository + path, token: token, method, body)
        request.deadline = deadline
        request.largestBody = Self.largestAnswer
        return try transport.send(request)
    }

    private func answer(
        _ path: String, _ token: Secret, _ deadline: Int64, _ transport: any Transport
    ) throws(PullRequestFault) -> HTTPResponse {
        let response = try rethrowing(as: PullRequestFault.failed, try send(path, token, deadline, transport))
        guard response.status == 200 else { throw fault(response, token) }
        return response
    }
}

extension HTTPResponse {
    /// The API's message for people, as untrusted text.
    var reason: DisplayText { DisplayText(untrusted: json.flatMap(\.firstText) ?? Array("status \(status)".utf8)) }
}

extension JSONValue {
    /// The text of the first error; errors are a text, a list, or objects with a message or a field's name.
    fileprivate var firstText: [UInt8]? {
        switch self {
        case .string(let text): return text
        // No lazy collection: its `first` calls the closure twice, which doubles the time with each level.
        case .array(let values):
            for value in values { if let text = value.firstText { return text } }
            return nil
        case .object(let members):
            for name in ["errors", "message", "error"] { if let text = self[name]?.firstText { return text } }
            if let field = self["field"]?.firstText {
                return field + Array(" is ".utf8) + (self["code"]?.firstText ?? [])
            }
            // GitLab has lists of texts by the name of the field ("Data validation and error reporting").
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                if case .array(let texts) = value, let text = texts.first?.string {
                    return Array("\(name) ".utf8) + text
                }
            }
            return nil
        case .null, .bool, .number, .secret: return nil
        }
    }

    fileprivate func names(_ branch: String, _ field: String) -> Bool {
        self[field]?.string.map { $0.elementsEqual(branch.utf8) } ?? false
    }

    /// Whether an entry of GitHub's or Gitea's list fits; a fork may have branches with the same names.
    fileprivate func isPullRequest(in repository: String, _ head: String, _ base: String?) -> Bool {
        guard let source = self["head"], let target = self["base"], source.names(head, "ref"),
            base.map({ target.names($0, "ref") }) ?? true, let name = source["repo"]?["full_name"]?.string
        else { return false }
        return ASCII.equalsIgnoringCase(name, repository)
    }
}

// MARK: The kinds of hosts

extension GitHub {
    /// "Create a pull request", "List pull requests".
    package func pullRequests(in repository: String) -> PullRequestAPI? {
        let names = repository.split(separator: "/")
        guard names.count == 2 else { return nil }
        return PullRequestAPI(
            provider: self, repository: "/repos/\(repository)", page: "/\(repository)/pull/",
            fields: { $0.fields(into: $1).merging(["draft": .bool($0.isDraft)]) { $1 } },
            query: { head, base in "state=open&head=\(names[0]):\(head)\(base.map { "&base=\($0)" } ?? "")" },
            fits: { $0.isPullRequest(in: repository, $1, $2) }
        ) { response, token in
            switch response.status {
            case 422: .reason(response.reason)
            case 403 where Self.message(response).contains("not accessible by"): .permission("Pull requests: write")
            default: .access(answer(response, to: token))
            }
        }
    }
}

extension Gitea {
    /// "repoCreatePullRequest", "repoListPullRequests"; the beginning of the title marks a draft.
    package func pullRequests(in repository: String) -> PullRequestAPI? {
        guard repository.split(separator: "/").count == 2 else { return nil }
        return PullRequestAPI(
            provider: self, repository: "/repos/\(repository)", page: "/\(repository)/pulls/",
            fields: { proposal, base in proposal.fields(into: base, marking: "WIP: ") },
            // Older servers have no filter for branches.
            query: { _, base in "state=open&sort=recentupdate&limit=20\(base.map { "&base_branch=\($0)" } ?? "")" },
            fits: { $0.isPullRequest(in: repository, $1, $2) }
        ) { response, _ in
            switch response.status {
            // 404 is also the answer for a missing base.
            case 400, 404, 409, 422, 423: .reason(response.reason)
            case 403: .permission("write:repository")
            default: .access(RepositoryAnswer(response))
            }
        }
    }
}

extension GitLab {
    /// "Create MR", "List project merge requests"; the beginning of the title marks a draft.
    ///
    /// GitLab's push options are not used: they would change an open merge request, and cannot express some
    /// descriptions of several lines.
    package func pullRequests(in repository: String) -> PullRequestAPI? {
        PullRequestAPI(
            provider: self, repository: "/projects/\(repository.split(separator: "/").joined(separator: "%2F"))",
            collection: "/merge_requests", number: "iid", page: "/\(repository)/-/merge_requests/",
            fields: { proposal, base in
                proposal.fields(into: base, marking: "Draft: ", as: ("source_branch", "target_branch", "description"))
            },
            query: { head, base in "state=opened&source_branch=\(head)\(base.map { "&target_branch=\($0)" } ?? "")" },
            fits: { entry, head, base in
                // Merge requests of forks are listed as well.
                entry["source_project_id"] == entry["target_project_id"] && entry.names(head, "source_branch")
                    && (base.map { entry.names($0, "target_branch") } ?? true)
            }
        ) { response, _ in
            switch response.status {
            case 400, 409, 422: .reason(response.reason)
            case 403 where response.json?["error"]?.string.map { $0.elementsEqual("insufficient_scope".utf8) } == true:
                .permission("api")
            default: .access(RepositoryAnswer(response))
            }
        }
    }
}
