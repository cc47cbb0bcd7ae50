internal import CredentialCore
internal import Providers

/// GitHub's `enterprise_hint` and `domain_hint` in a server's challenge.
///
/// GitHub sends them for an enterprise with managed users, whose logins all end in `_SHORTCODE`. The hint only ranks the
/// stored accounts, and only if nobody has chosen one. A helper that filters by it asks people to sign in again although
/// their account is stored (Git Credential Manager, issues 1382, 1477 and 2194).
struct AccountHint {
    /// Such as `_acme`; empty if the server gives no hint.
    private(set) var loginSuffixes: [[UInt8]] = []

    /// Far more than a short code, which has 3 to 8 characters, and than the name of an enterprise in an address.
    private static let longestValue = 64
    /// A challenge of a few hundred bytes is usual; a longer one is left alone.
    private static let longestChallenge = 2_048
    /// A server names one enterprise, in two ways.
    private static let mostSuffixes = 4

    /// `WWW-Authenticate` headers.
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
