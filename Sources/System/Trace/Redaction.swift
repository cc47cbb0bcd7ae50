internal import CredentialCore

/// The masking of what looks like a token in texts of other origin: a library's messages, a person's settings.
///
/// Our own secrets have types that cannot get into a text. This is a second line of defence.
package enum Redaction {
    /// What may precede a URL: a scheme, or the quote in which a library repeats its input.
    private static let addressStarts = ["://", "'"].map { Array($0.utf8) }

    private static let masked = Array("****".utf8)

    /// Letters and digits in a row that may be a token without such a beginning.
    ///
    /// Gitea's and GitHub's old ones have 40, Azure DevOps' 52 or 84, GitLab's 64. The name of a commit has 40 as well,
    /// but no text of ours names one.
    private static let shortestToken = 40

    /// Words without a token, without the user part of any address, and without a byte that a terminal would obey.
    ///
    /// It removes too much rather than too little: from where a URL can start, everything up to the last `@`, because a
    /// password that is not encoded can contain any character.
    package static func redacted(_ words: String) -> String {
        let bytes = words.utf8.map { ASCII.isPrintable($0) ? $0 : UInt8(ascii: "?") }
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if let start = TokenShape.starts.first(where: rest.starts) {
                result += start + masked
                rest = rest.dropFirst(start.count).drop(while: isPartOfToken)
            } else if rest.prefix(shortestToken).count(where: ASCII.isLetterOrDigit) == shortestToken {
                result += masked
                rest = rest.drop(while: ASCII.isLetterOrDigit)
            } else if let start = addressStarts.first(where: rest.starts),
                let at = rest.lastIndex(of: UInt8(ascii: "@"))
            {
                result += start + masked
                rest = rest[at...]
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isPartOfToken(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte, or: "_.-=")
    }
}
