internal import CredentialCore

/// What a server's responses mean beyond RFC 6749 and RFC 8628.
package struct OAuthDialect: Sendable {
    /// Values of `error` that are in no RFC, and their meanings.
    package var errorCodes: [String: OAuthErrorCode]
    /// The status that means an unknown client if the response contains no known `error`; RFC 6749, 5.2, has none.
    package var unknownClientStatus: Int?
    /// Characters that separate granted scopes, in addition to RFC 6749's space.
    package var scopeSeparator: UInt8?

    /// The dialect of a server that differs from the RFCs.
    package init(errorCodes: [String: OAuthErrorCode], unknownClientStatus: Int? = nil, scopeSeparator: UInt8? = nil) {
        self.errorCodes = errorCodes
        self.unknownClientStatus = unknownClientStatus
        self.scopeSeparator = scopeSeparator
    }

    /// The dialect of a server that follows the RFCs.
    package static let standard = OAuthDialect(errorCodes: [:])

    /// The meaning of an `error`.
    func code(_ text: [UInt8]) -> OAuthErrorCode {
        OAuthErrorCode(text) ?? errorCodes[String(decoding: text, as: UTF8.self)] ?? .other(DisplayText(text))
    }
}
