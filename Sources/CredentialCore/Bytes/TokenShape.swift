/// The shapes of the tokens that hosts issue, by which one is told from a name.
package enum TokenShape {
    /// GitHub's five kinds and its fine-grained ones; GitLab's of people, deployments, jobs, runners and applications;
    /// Gitea's secrets of applications; Atlassian's of people, of repositories, and app passwords; and JSON objects in
    /// base64url, with which signed tokens begin (RFC 7515, 3.1).
    package static let starts = [
        "gho_", "ghu_", "ghr_", "ghp_", "ghs_", "github_pat_", "glpat-", "gldt-", "glcbt-", "gloas-", "glptt-", "glrt-",
        "glsoat-", "glft-", "glimt-", "glagent-", "gto_", "ATATT", "ATCTT", "ATBB", "eyJ",
    ].map { Array($0.utf8) }

    /// No host issues a shorter one.
    private static let shortest = 20
    /// Letters and digits without such a beginning: Gitea's and GitHub's old ones have 40, Azure DevOps' 52 or 84.
    private static let plainLengths = [40, 52, 84]

    /// Whether a text is a token, as far as its shape tells: `https://TOKEN@host/` makes one an account's name.
    package static func fits(_ text: some Collection<UInt8>) -> Bool {
        guard text.count >= shortest else { return false }
        if starts.contains(where: text.starts) { return ASCII.isPlain(text, with: "_.-=") }
        return plainLengths.contains(text.count) && ASCII.isPlain(text) && text.contains(where: ASCII.isDigit)
    }
}
