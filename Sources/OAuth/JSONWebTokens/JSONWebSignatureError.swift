package import CredentialCore

/// Why a signed token is not believed, before anybody has looked at what it says.
package enum JSONWebSignatureError: Error, Equatable {
    /// More bytes than any token has.
    case tooLong
    /// Not three parts with a dot between them (RFC 7515, 3.1).
    case notCompact
    /// This part is no base64url, or not the only text of its bytes.
    case notBase64URL(JSONWebSignature.Part)
    /// The header is no JSON object, names a member twice, or has one of the wrong type.
    case malformedHeader
    /// Signed by no algorithm, or by one that is not trusted here; its name, nil if it has none.
    case refusedAlgorithm(DisplayText?)
    /// The header has an extension that must be understood (`crit`, RFC 7515, 4.1.11), and none is.
    case criticalExtension
    /// The signature is not of its algorithm's form, as one in DER.
    case malformedSignature
    /// The token names a key that is not among those published. It may be newer than they are.
    case unknownKey(DisplayText?)
    /// The token names no key, and more than one of those published would fit.
    case ambiguousKey
    /// The key that the token names is for something else.
    case unsuitableKey
    /// The key consists of numbers that no key has.
    case invalidKey
    /// Somebody else signed it, or something else was signed.
    case wrongSignature
}
