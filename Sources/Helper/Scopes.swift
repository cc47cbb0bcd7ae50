/// Which scopes were requested and not granted.
package enum Scopes {
    /// The scopes of `asked` that are missing in `granted`.
    ///
    /// - Parameters:
    ///   - granted: what the server said, separated by spaces. GitHub Apps have no scopes, and get an empty list.
    ///   - asked: what was requested.
    ///   - included: which scopes include others, for this provider.
    /// - Returns: the missing ones, separated by commas; nil if nothing is missing.
    package static func missing(
        in granted: String, of asked: String, including included: [String: [String]]
    ) -> String? {
        let names = granted.split(separator: " ").map(String.init)
        guard !names.isEmpty else { return nil }
        let all = Set(names + names.flatMap { included[$0] ?? [] })
        // `offline_access` requests a refresh token, which is there or not; it is not a permission.
        let missing = asked.split(separator: " ").filter { !all.contains(String($0)) && $0 != "offline_access" }
        return missing.isEmpty ? nil : missing.joined(separator: ", ")
    }
}
