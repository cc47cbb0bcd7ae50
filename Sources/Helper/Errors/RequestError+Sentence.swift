package import CredentialCore
package import Messages

extension RequestError {
    /// Why a request is refused, for people, without a byte of the request.
    package var sentence: Message {
        switch self {
        case .malformedLine: Message("a line is incomplete")
        case .tooLong: Message("it is too long")
        case .controlByte(let attribute): Message("its %1$s holds a control character", attribute.rawValue)
        case .contradiction(let attribute): Message("it names two different values for %1$s", attribute.rawValue)
        case .missing(let attribute): Message("it names no %1$s", attribute.rawValue)
        case .malformedHost: Message("its host is malformed")
        }
    }
}
