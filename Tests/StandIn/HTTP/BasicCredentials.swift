import FoundationEssentials

/// User name and password of HTTP Basic authentication (RFC 7617).
package struct BasicCredentials: Sendable {
    package let user: String
    package let password: String

    /// Parses an `Authorization` header; `nil` for any scheme but Basic.
    init?(authorization: String?) {
        guard let words = authorization?.split(separator: " ", maxSplits: 1), words.count == 2,
            words[0].lowercased() == "basic", let data = Data(base64Encoded: String(words[1]))
        else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        user = String(parts[0])
        password = String(parts[1])
    }
}
