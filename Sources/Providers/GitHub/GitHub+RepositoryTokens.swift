package import CredentialCore

/// GitHub Apps' tokens for one repository: "Generating a user access token for a GitHub App" (`repository_id`), and
/// "REST API endpoints for GitHub App installations".
extension GitHub: RepositoryTokens {
    package func isLimitable(_ token: Secret) -> Bool { token.reveal { $0.starts(with: "ghu_".utf8) } }

    package func identity(
        of repository: String, on host: SignInHost, token: Secret, over transport: any Transport
    ) throws(TransportError) -> RepositoryIdentity {
        let response = try transport.send(request(api("/repos/\(repository)", of: host), token: token))
        let answer = answer(response, on: host)
        guard case .reached = answer else { return .refused(answer) }
        guard let id = JSONValue(parsing: response.body)?["id"]?.wholeNumber, id > 0 else {
            return .refused(.malformed)
        }
        return .number(id)
    }

    package func permissions(
        in repository: String, on host: SignInHost, token: Secret, over transport: any Transport
    ) throws(TransportError) -> AppPermissions {
        guard let installations = try installations(of: token, on: host, over: transport) else { return .unknown }
        let owner = repository.prefix { $0 != "/" }
        guard let own = installations.first(where: { ASCII.equalsIgnoringCase($0.owner.utf8, String(owner)) }) else {
            return .none
        }
        return own.permissions.values.allSatisfy { $0 == "read" } ? .read : .write
    }

    package func reach(
        of token: Secret, besides repository: String, on host: SignInHost, over transport: any Transport
    ) throws(TransportError) -> TokenReach {
        var lists = ["/installation/repositories"]
        if !Self.isInstallations(token) {
            guard let installations = try installations(of: token, on: host, over: transport) else { return .unknown }
            lists = installations.map { "/user/installations/\($0.id)/repositories" }
        }
        var isReached = false
        for path in lists {
            // Two are enough: there should be one.
            guard let names = try list(path, "repositories", per: 2, of: token, on: host, over: transport) else {
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
        of token: Secret, on host: SignInHost, over transport: any Transport
    ) throws(TransportError) -> [Installation]? {
        let list = try list("/user/installations", "installations", per: 100, of: token, on: host, over: transport)
        guard let list, list.total == Int64(list.values.count) else { return nil }
        let installations = list.values.compactMap { Installation($0) }
        return installations.count == list.values.count ? installations : nil
    }

    /// The first page of a list, and how long the list is; nil for anything else.
    private func list(
        _ path: String, _ member: String, per count: Int, of token: Secret, on host: SignInHost,
        over transport: any Transport
    ) throws(TransportError) -> (total: Int64, values: [JSONValue])? {
        var request = request(api("\(path)?per_page=\(count)", of: host), token: token)
        // An installation has some 3 kB.
        request.largestBody = 1_048_576
        let response = try transport.send(request)
        guard response.status == 200, let body = JSONValue(parsing: response.body),
            let total = body["total_count"]?.wholeNumber, case .array(let values)? = body[member]
        else { return nil }
        return (total, values)
    }
}
