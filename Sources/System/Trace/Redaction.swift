/// For texts of other origin, such as a library's messages or a person's settings.
///
/// Our own secrets have types that cannot get into a text. This is a second line of defence.
package enum Redaction {
    /// GitHub's five kinds and its fine-grained ones, GitLab's.
    private static let tokenStarts = ["gho_", "ghu_", "ghr_", "ghp_", "ghs_", "github_pat_", "glpat-"]
        .map { Array($0.utf8) }

    /// What may precede a URL: a scheme, or the quote in which a library repeats its input.
    private static let addressStarts = ["://", "'"].map { Array($0.utf8) }

    private static let masked = Array("****".utf8)

    /// As many hexadecimal digits as GitLab's tokens are made of; digests of commits have 40, or stand in no such text.
    private static let longestDigest = 64

    /// Words without a token, without the user part of any address, and without a byte that a terminal would obey.
    ///
    /// It removes too much rather than too little: from where a URL can start, everything up to the last `@`, because a
    /// password that is not encoded can contain any character.
    package static func redacted(_ words: String) -> String {
        let bytes = words.utf8.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if let start = tokenStarts.first(where: rest.starts) {
                result += start + masked
                rest = rest.dropFirst(start.count).drop(while: isPartOfToken)
            } else if isHexadecimal(byte), rest.prefix(longestDigest).count(where: isHexadecimal) == longestDigest {
                result += masked
                rest = rest.drop(while: isHexadecimal)
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

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    private static func isPartOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
