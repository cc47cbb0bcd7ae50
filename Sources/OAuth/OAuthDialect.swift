internal import CredentialCore

/// What a server's answers mean where it goes beyond RFC 6749 and RFC 8628.
package struct OAuthDialect: Sendable {
    /// Values of `error` that no RFC has, and what each says.
    package var errorCodes: [String: OAuthErrorCode]
    /// The status that means an unknown client where the answer has no `error` that we know; RFC 6749, 5.2, has none.
    package var unknownClientStatus: Int?
    /// What stands between granted scopes, beside RFC 6749's space.
    package var scopeSeparator: UInt8?

    /// A server that says some things in its own way.
    package init(errorCodes: [String: OAuthErrorCode], unknownClientStatus: Int? = nil, scopeSeparator: UInt8? = nil) {
        self.errorCodes = errorCodes
        self.unknownClientStatus = unknownClientStatus
        self.scopeSeparator = scopeSeparator
    }

    /// A server that keeps to the RFCs.
    package static let standard = OAuthDialect(errorCodes: [:])

    /// The meaning of an `error`.
    func code(_ text: [UInt8]) -> OAuthErrorCode {
        OAuthErrorCode(text) ?? errorCodes[String(decoding: text, as: UTF8.self)] ?? .other(DisplayText(text))
    }
}
