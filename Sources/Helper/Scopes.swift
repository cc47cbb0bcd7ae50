package enum Scopes {
    /// Returns the missing scopes, separated by commas, or `nil` if none is missing.
    ///
    /// The granted ones are separated by spaces. GitHub Apps have no scopes, and get an empty list. Some scopes include
    /// others.
    package static func missing(
        in granted: String, of asked: String, including included: [String: [String]]
    ) -> String? {
        let names = granted.split(separator: " ").map(String.init)
        guard !names.isEmpty else { return nil }
        let all = Set(names + names.flatMap { included[$0] ?? [] })
        // `offline_access` requests a refresh token; it is not a permission.
        let missing = asked.split(separator: " ").filter { !all.contains(String($0)) && $0 != "offline_access" }
        return missing.isEmpty ? nil : missing.joined(separator: ", ")
    }
}
