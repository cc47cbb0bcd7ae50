package import CredentialCore

extension RequestError {
    /// Why a request is refused, without a byte of the request.
    package var words: ErrorText { ErrorText(what) }

    private var what: Message {
        switch self {
        case .malformedLine: Message("a line is incomplete")
        case .tooLong: Message("it is too long")
        case .controlByte(let attribute): Message("its %1$s holds a control character", Self.name(attribute))
        case .contradiction(let attribute): Message("it names two different values for %1$s", Self.name(attribute))
        case .missing(let attribute): Message("it names no %1$s", Self.name(attribute))
        case .malformedHost: Message("its host is malformed")
        }
    }

    private static func name(_ attribute: Attribute) -> DisplayText { DisplayText(own: attribute.rawValue) }
}
