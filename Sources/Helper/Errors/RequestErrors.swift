package import CredentialCore

extension UserFacingError {
    /// The error, without a byte of the request.
    package static func requestRefused(_ error: RequestError) -> UserFacingError {
        func refused(_ what: Message) -> UserFacingError {
            UserFacingError(.requestRefused, Message("refused the request: %1$s", what))
        }
        func name(_ attribute: Attribute) -> DisplayText { DisplayText(trusted: attribute.rawValue) }
        return switch error {
        case .malformedLine: refused(Message("a line is incomplete"))
        case .tooLong: refused(Message("it is too long"))
        case .controlByte(let attribute): refused(Message("%1$s contains a control character", name(attribute)))
        case .contradiction(let attribute): refused(Message("%1$s has two different values", name(attribute)))
        case .missing(let attribute): refused(Message("%1$s is missing", name(attribute)))
        case .malformedHost: refused(Message("the host is not valid"))
        case .downgrade: downgrade
        }
    }

    package static let downgrade = UserFacingError(
        .requestRefused, Message("refused the request: this host is only used over https, on its default port"))

    /// Creates the error for a failed search, which uses the request, the configuration and the keyring.
    package init(whileLookingUp error: any Error) {
        switch error {
        case let error as UserFacingError: self = error
        case let error as RequestError: self = .requestRefused(error)
        case let error as ConfigurationError: self = .configurationUnreadable(error)
        case let error as KeyringError: self = .keyring(error)
        default: self = .keyring(.other("\(error)"))
        }
    }

    package static func noSuchVerb(_ word: DisplayText, nearest: DisplayText?) -> UserFacingError {
        UserFacingError(
            .noSuchVerb,
            word.text.hasPrefix("-") ? Message("unknown option '%1$s'", word) : Message("unknown command: %1$s", word),
            nearest.map {
                [Message("the most similar command is:"), .command("git credential-gitspace \($0)")]
            } ?? [Message("to list all commands:"), .command("git-credential-gitspace --help")])
    }
}
