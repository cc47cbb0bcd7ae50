internal import CredentialCore

/// The claims of an ID token, read by their types: OpenID Connect Core 1.0, section 2.
struct IDTokenClaims {
    /// The most audiences that a token may have.
    private static let mostAudiences = 32

    private let value: JSONValue

    /// Reads a payload.
    ///
    /// - Throws: `.malformedClaims`.
    init(parsing payload: [UInt8]) throws(IDTokenError) {
        guard let value = JSONValue(parsing: payload), case .object = value else { throw .malformedClaims }
        self.value = value
    }

    /// A claim that is a text; nil if it is absent.
    func text(_ claim: IDTokenError.Claim) throws(IDTokenError) -> [UInt8]? {
        guard let value = value[claim.rawValue] else { return nil }
        guard let text = value.string else { throw .malformed(claim) }
        return text
    }

    /// A claim that is a point in time; nil if it is absent.
    func time(_ claim: IDTokenError.Claim) throws(IDTokenError) -> Int64? {
        guard let value = value[claim.rawValue] else { return nil }
        guard let time = value.numericDate else { throw .malformed(claim) }
        return time
    }

    /// Whom the token is for: a text, or a list of texts (RFC 7519, 4.1.3).
    func audiences() throws(IDTokenError) -> [[UInt8]] {
        switch value[IDTokenError.Claim.audience.rawValue] {
        case nil: throw .missing(.audience)
        case .string(let audience): return [audience]
        case .array(let values):
            let audiences = values.compactMap(\.string)
            guard audiences.count == values.count, audiences.count <= Self.mostAudiences else {
                throw .malformed(.audience)
            }
            return audiences
        default: throw .malformed(.audience)
        }
    }

    /// The account's names, first the one by which git and the keyring know it.
    ///
    /// - Parameter subject: the claim `sub`.
    /// - Returns: one at least.
    /// - Throws: `.unusableAccount`.
    func names(subject: [UInt8]) throws(IDTokenError) -> [String] {
        let names = OpenIDAccount.names(in: value, subject: subject)
        guard !names.isEmpty else { throw .unusableAccount }
        return names
    }
}
