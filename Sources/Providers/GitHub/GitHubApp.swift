package import OAuth

/// A GitHub App that acts in its own name: for machines without a person.
package struct GitHubApp: Equatable {
    /// Its app ID, or its client ID, which GitHub takes as well.
    package let id: String

    package init(id: String) { self.id = id }

    /// GitHub takes ten minutes at most, by its own clock: a minute is left for one that is behind ours.
    private static let lifetime: Int64 = 540
    /// And a minute for one that is ahead; GitHub itself recommends it.
    private static let earlier: Int64 = 60

    /// What it says of itself to get an installation's token ("Generating a JSON Web Token for a GitHub App"); GitHub
    /// wants RS256.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: the claims of an assertion without a key ID: GitHub tries each key of the app.
    package func claims(now: Int64) -> AssertionClaims {
        AssertionClaims(issuer: id, issuedAt: now - Self.earlier, expiresAt: now + Self.lifetime)
    }
}
