/// A line of the trace.
///
/// Secrets have types that cannot get here. This is the second net, for what looks like one in somebody else's words:
/// nothing takes it away.
package enum TraceLine {
    /// A line: `23:40:01.000042 credential-gitspace: WORDS`.
    ///
    /// - Parameters:
    ///   - words: what is told; whatever a terminal might act on becomes `?`.
    ///   - time: the local time of day, as git's own traces begin with it.
    /// - Returns: the line with its end.
    package static func text(_ words: String, at time: String) -> String {
        "\(time) credential-gitspace: \(redacted(words))\n"
    }

    /// What tokens begin with: GitHub's five kinds and its fine-grained ones, GitLab's.
    private static let tokenStarts = ["gho_", "ghu_", "ghr_", "ghp_", "ghs_", "github_pat_", "glpat-"]
        .map { Array($0.utf8) }

    private static func redacted(_ words: String) -> String {
        let bytes = words.utf8.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if let start = tokenStarts.first(where: rest.starts) {
                result += start + masked
                rest = rest.dropFirst(start.count).drop(while: isPartOfToken)
            } else if rest.starts(with: schemeEnd) {
                result += schemeEnd
                rest = afterUserinfo(rest.dropFirst(schemeEnd.count), &result)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let masked = Array("****".utf8)
    private static let schemeEnd = Array("://".utf8)

    /// An address without what stands before its last `@` (RFC 3986, 3.2.1): a name, perhaps a password.
    private static func afterUserinfo(_ rest: ArraySlice<UInt8>, _ result: inout [UInt8]) -> ArraySlice<UInt8> {
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: " ") }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return rest }
        result += masked
        return rest[at...]
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
