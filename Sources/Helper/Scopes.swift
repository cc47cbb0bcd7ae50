/// Scopes that were asked for, against those that were granted.
package enum Scopes {
    /// Separated by commas; nil if nothing is missing.
    ///
    /// The granted ones are separated by spaces. GitHub Apps have no scopes, and get an empty list. Some scopes include
    /// others.
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
