/// The shapes of tokens that hosts issue, to distinguish them from names.
package enum TokenShape {
    /// The prefixes of tokens: GitHub's five kinds and its fine-grained ones; GitLab's of people, deployments, jobs,
    /// runners and applications; Gitea's secrets of applications; Atlassian's of people, repositories, and app
    /// passwords; and JSON objects in base64url, as at the start of signed tokens (RFC 7515, 3.1).
    package static let starts = [
        "gho_", "ghu_", "ghr_", "ghp_", "ghs_", "github_pat_", "glpat-", "gldt-", "glcbt-", "gloas-", "glptt-", "glrt-",
        "glsoat-", "glft-", "glimt-", "glagent-", "gto_", "ATATT", "ATCTT", "ATBB", "eyJ",
    ].map { Array($0.utf8) }

    /// The least length of a token with a prefix; hosts issue no shorter ones.
    private static let shortest = 20
    /// The lengths of tokens without a prefix: old ones of Gitea and GitHub have 40 letters and digits, those of Azure
    /// DevOps 52 or 84.
    private static let plainLengths = [40, 52, 84]

    /// Whether a text has the shape of a token: in `https://TOKEN@host/`, the account's name is one.
    package static func fits(_ text: some Collection<UInt8>) -> Bool {
        guard text.count >= shortest else { return false }
        if starts.contains(where: text.starts) { return ASCII.isPlain(text, with: "_.-=") }
        return plainLengths.contains(text.count) && ASCII.isPlain(text) && text.contains(where: ASCII.isDigit)
    }
}
