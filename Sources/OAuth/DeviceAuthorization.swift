package import CredentialCore

/// The device authorization response: RFC 8628, 3.2.
package struct DeviceAuthorization {
    /// What we poll with: a bearer secret while the flow lasts, never shown.
    package var deviceCode: Secret
    /// What the person types, exactly as received.
    package var userCode: String
    /// Where the person types it; on the very host that was asked.
    package var verificationURI: HTTPSAddress
    /// Seconds until the code ends, at most 15 minutes.
    package var expiresIn: Int64
    /// Seconds between two polls.
    package var interval: Int64

    /// RFC 8628, 3.2: "clients MUST use 5 as the default".
    static let defaultInterval: Int64 = 5
    /// No server asks for more; one that does would make the code end before the first poll.
    static let longestInterval: Int64 = 60
    /// The longest that we wait, and as long as GitHub's codes last; GitLab's end earlier.
    static let longestLifetime: Int64 = 900

    /// Reads a success.
    ///
    /// - Parameters:
    ///   - fields: the answer.
    ///   - endpoints: the server's, which decide where it may send the person.
    /// - Throws: `DeviceFlowError.malformedAnswer`, `.foreignAddress`, or `.deviceFlowUnsupported` for an answer without
    ///   any address.
    init(_ fields: AnswerFields, from endpoints: OAuthEndpoints) throws(DeviceFlowError) {
        // An older draft's spelling, which cli/oauth accepts as well; where there is neither, something else answered.
        guard let page = fields.text("verification_uri") ?? fields.text("verification_url") else {
            throw .deviceFlowUnsupported
        }
        guard let deviceCode = fields.text("device_code"), deviceCode.count <= 2_048,
            deviceCode.allSatisfy({ (0x21...0x7e).contains($0) }),
            let userCode = fields.text("user_code"), Self.isUserCode(userCode)
        else { throw .malformedAnswer }
        guard let text = String(validating: page, as: UTF8.self), let address = HTTPSAddress(parsing: text),
            endpoints.mayVerify(at: address)
        else { throw .foreignAddress }
        self.deviceCode = Secret(deviceCode)
        self.userCode = String(decoding: userCode, as: UTF8.self)
        verificationURI = address
        let lifetime = fields.seconds("expires_in") ?? Self.longestLifetime
        expiresIn = lifetime > 0 ? min(lifetime, Self.longestLifetime) : Self.longestLifetime
        let interval = fields.seconds("interval") ?? Self.defaultInterval
        self.interval = interval > 0 ? min(interval, Self.longestInterval) : Self.defaultInterval
    }

    private static func isUserCode(_ text: [UInt8]) -> Bool {
        text.count <= 32 && text.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
}
