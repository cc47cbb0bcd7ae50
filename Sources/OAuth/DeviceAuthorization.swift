package import CredentialCore

/// The device authorization response: RFC 8628, 3.2.
package struct DeviceAuthorization {
    /// The device code, with which we poll: a bearer secret until it expires, never shown.
    package var deviceCode: Secret
    /// The user code, exactly as received.
    package var userCode: String
    /// The page on which the person enters the user code; always on the host that was asked.
    package var verificationURI: HTTPSAddress
    /// Seconds until the code expires, at most 15 minutes.
    package var expiresIn: Int64
    /// Seconds between two polls.
    package var interval: Int64

    /// RFC 8628, 3.2: "clients MUST use 5 as the default".
    static let defaultInterval: Int64 = 5
    /// The longest interval.
    ///
    /// No server asks for more; with a longer one, the code could expire before the first poll.
    static let longestInterval: Int64 = 60
    /// The longest lifetime, which is that of GitHub's codes; GitLab's expire earlier.
    static let longestLifetime: Int64 = 900

    /// Parses a successful response.
    ///
    /// - Parameters:
    ///   - fields: the response.
    ///   - endpoints: the server's endpoints, which decide to which host it may send the person.
    /// - Throws: `DeviceFlowError.malformedAnswer`, `.foreignAddress`, or `.deviceFlowUnsupported` for a response
    ///   without a URL.
    init(_ fields: AnswerFields, from endpoints: OAuthEndpoints) throws(DeviceFlowError) {
        // The spelling of an older draft, which cli/oauth accepts as well. If neither is there, something else
        // answered.
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
