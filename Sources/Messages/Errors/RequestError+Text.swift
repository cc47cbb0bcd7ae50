package import CredentialCore

extension RequestError {
    /// Why a request is refused, without a byte of the request.
    package var words: ErrorText { ErrorText(what) }

    private var what: Message {
        switch self {
        case .malformedLine: Message("a line is incomplete")
        case .tooLong: Message("it is too long")
        case .controlByte(let attribute): Message("%1$s contains a control character", Self.name(attribute))
        case .contradiction(let attribute): Message("%1$s has two different values", Self.name(attribute))
        case .missing(let attribute): Message("%1$s is missing", Self.name(attribute))
        case .malformedHost: Message("the host is not valid")
        }
    }

    private static func name(_ attribute: Attribute) -> DisplayText { DisplayText(own: attribute.rawValue) }
}
