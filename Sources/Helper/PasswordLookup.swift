package import CredentialCore

extension Keyring {
    /// Returns a password as git has its helpers look it up, without unlocking anything.
    package func password(for request: Request, at now: Int64) -> Secret? {
        guard let context = try? CredentialContext(of: request) else { return nil }
        let query = context.query(user: request.username)
        let items = (try? items(having: query.search)) ?? []
        let found = query.matching(items).compactMap(StoredMatch.init).ranked(for: query, at: now).first
        return found.flatMap { $0.credential.password.isEmpty ? nil : $0.credential.password }
    }
}
