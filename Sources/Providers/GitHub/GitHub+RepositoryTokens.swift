package import CredentialCore

/// GitHub Apps' tokens for one repository: "Generating a user access token for a GitHub App" (`repository_id`), and
/// "REST API endpoints for GitHub App installations".
///
/// GitHub may ignore the restriction, and does not say so: each token has to be tried.
extension GitHub {
    /// Whether a token is of an app that can have it limited.
    package func isLimitable(_ token: Secret) -> Bool { token.reveal { $0.starts(with: "ghu_".utf8) } }

    /// What the host calls a repository by in a sign-in.
    package func identity(
        of repository: String, token: Secret, over transport: any Transport
    ) throws(TransportError) -> RepositoryIdentity {
        let response = try transport.send(request("/repos/\(repository)", token: token))
        let answer = answer(response)
        guard case .reached = answer else { return .refused(answer) }
        guard let id = response.json?["id"]?.wholeNumber, id > 0 else {
            return .refused(.malformed)
        }
        return .number(id)
    }

    /// What the app of a person's token may do in a repository that it reaches.
    package func permissions(
        in repository: String, token: Secret, over transport: any Transport
    ) throws(TransportError) -> AppPermissions {
        guard let installations = try installations(of: token, over: transport) else { return .unknown }
        let owner = repository.prefix { $0 != "/" }
        guard let own = installations.first(where: { ASCII.equalsIgnoringCase($0.owner.utf8, String(owner)) }) else {
            return .none
        }
        return own.permissions.values.allSatisfy { $0 == "read" } ? .read : .write
    }

    /// Which repositories a token reaches, besides what everybody may read; it should be that one, `OWNER/NAME`.
    package func reach(
        of token: Secret, besides repository: String, over transport: any Transport
    ) throws(TransportError) -> TokenReach {
        var lists = ["/installation/repositories"]
        if !Self.isInstallationToken(token) {
            guard let installations = try installations(of: token, over: transport) else { return .unknown }
            lists = installations.map { "/user/installations/\($0.id)/repositories" }
        }
        var isReached = false
        for path in lists {
            // Two are enough: there should be one.
            guard let names = try list(path, "repositories", per: 2, of: token, over: transport) else {
                return .unknown
            }
            for name in names.values.map({ $0["full_name"]?.string }) {
                guard let name else { return .unknown }
                guard ASCII.equalsIgnoringCase(name, repository) else { return .more(DisplayText(untrusted: name)) }
                isReached = true
            }
            guard names.total == Int64(names.values.count) else { return .unknown }
        }
        return isReached ? .only : .nothing
    }

    /// "List app installations accessible to the user access token"; nil if GitHub does not tell all of them.
    private func installations(
        of token: Secret, over transport: any Transport
    ) throws(TransportError) -> [Installation]? {
        let list = try list("/user/installations", "installations", per: 100, of: token, over: transport)
        guard let list, list.total == Int64(list.values.count) else { return nil }
        let installations = list.values.compactMap { Installation($0) }
        return installations.count == list.values.count ? installations : nil
    }

    /// The first page of a list, and how long the list is; nil for anything else.
    private func list(
        _ path: String, _ member: String, per count: Int, of token: Secret, over transport: any Transport
    ) throws(TransportError) -> (total: Int64, values: [JSONValue])? {
        var request = request("\(path)?per_page=\(count)", token: token)
        // An installation has some 3 kB.
        request.largestBody = 1_048_576
        let response = try transport.send(request)
        guard response.status == 200, let body = response.json,
            let total = body["total_count"]?.wholeNumber, case .array(let values)? = body[member]
        else { return nil }
        return (total, values)
    }
}

package enum RepositoryIdentity: Equatable {
    case number(Int64)
    /// Nobody with this token gets there.
    case refused(RepositoryAnswer)
}

package enum AppPermissions: Equatable {
    case read
    case write
    /// It is not installed there.
    case none
    /// The host does not tell.
    case unknown
}

package enum TokenReach: Equatable {
    /// The repository, and no other.
    case only
    /// Another one as well.
    case more(DisplayText)
    /// The repository alone, but not only to read it.
    case writes
    /// Not even the repository.
    case nothing
    /// The host does not tell.
    case unknown
}
