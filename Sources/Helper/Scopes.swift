/// Which scopes were asked for and not granted.
package enum Scopes {
    /// A scope that contains others: GitHub leaves out of its answer what another scope includes.
    private static let contained = ["repo": ["public_repo", "repo:status", "repo_deployment", "repo:invite"]]

    /// The scopes of `asked` that are missing in `granted`.
    ///
    /// - Parameters:
    ///   - granted: what the server said, separated by spaces. An empty list is a GitHub App's, which has no scopes.
    ///   - asked: what was asked for.
    /// - Returns: the missing ones, separated by commas; nil if nothing is missing.
    package static func missing(in granted: String, of asked: String) -> String? {
        let names = granted.split(separator: " ").map(String.init)
        guard !names.isEmpty else { return nil }
        let all = Set(names + names.flatMap { contained[$0] ?? [] })
        // `offline_access` asks for a refresh token, which is there or not, and is no permission.
        let missing = asked.split(separator: " ").filter { !all.contains(String($0)) && $0 != "offline_access" }
        return missing.isEmpty ? nil : missing.joined(separator: ", ")
    }
}
