internal import CredentialCore
internal import Providers

/// GitHub's `enterprise_hint` and `domain_hint` in a server's challenge.
///
/// GitHub sends them for an enterprise with managed users, whose logins all end in `_SHORTCODE`. The hint only ranks
/// the stored accounts, and only if no account was chosen. A helper that filters by it asks people to sign in again
/// although their account is stored (Git Credential Manager, issues 1382, 1477 and 2194).
struct AccountHint {
    /// The suffixes, such as `_acme`, or none if the server gives no hint.
    private(set) var loginSuffixes: [[UInt8]] = []

    /// The longest value.
    ///
    /// A short code has 3 to 8 characters, and an enterprise's name in an address is not much longer.
    private static let longestValue = 64
    /// The longest challenge to read; a few hundred bytes are usual.
    private static let longestChallenge = 2_048
    /// The most suffixes; a server names one enterprise, in two ways.
    private static let mostSuffixes = 4

    /// Reads `WWW-Authenticate` headers.
    init(_ challenges: [[UInt8]]) {
        for challenge in challenges where challenge.count <= Self.longestChallenge {
            var parameters = ChallengeParameters(challenge)
            while let (name, value) = parameters.next() {
                let isHint = ["domain_hint", "enterprise_hint"].contains { ASCII.equalsIgnoringCase(name, $0) }
                guard isHint, loginSuffixes.count < Self.mostSuffixes, (1...Self.longestValue).contains(value.count),
                    ASCII.isPlain(value, with: "-")
                else { continue }
                loginSuffixes.append([UInt8(ascii: "_")] + value)
            }
        }
    }
}
