internal import CredentialCore

/// Masks possible tokens in foreign texts: a library's messages, a person's settings.
///
/// Our own secrets have types that cannot get into a text, so this is a second line of defence.
package enum Redaction {
    /// The bytes before a URL: the end of a scheme, or the quote in which a library repeats its input.
    private static let addressStarts = ["://", "'"].map { Array($0.utf8) }

    private static let masked = Array("****".utf8)

    /// The fewest letters and digits in a row that may be a token without a known prefix.
    ///
    /// Old tokens of Gitea and GitHub have 40; longer ones are Azure DevOps's and GitLab's.
    private static let shortestToken = 40

    /// Removes tokens, the user part of every address, and unprintable bytes.
    ///
    /// From where a URL can start, removes everything up to the last `@`, since a password may contain any character.
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

    private static func isPartOfToken(_ byte: UInt8) -> Bool { ASCII.isLetterOrDigit(byte, or: "_.-=") }
}
