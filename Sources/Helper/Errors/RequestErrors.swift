package import CredentialCore

extension RequestError {
    /// The error, without a byte of the request.
    package var words: UserFacingError { UserFacingError(.requestRefused, what) }

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

    private static func name(_ attribute: Attribute) -> DisplayText { DisplayText(trusted: attribute.rawValue) }
}

extension UserFacingError {
    package static func requestRefused(_ error: RequestError) -> UserFacingError {
        error.words.within(.requestRefused) { Message("refused the request: %1$s", $0) }
    }

    package static let downgrade = UserFacingError(
        .requestRefused, Message("refused the request: this host is only used over https, on its default port"))

    package init(_ refusal: CredentialContext.Refusal) {
        switch refusal {
        case .malformedHost: self = .requestRefused(.malformedHost)
        case .downgrade: self = .downgrade
        }
    }

    /// Creates the error for a failed search, which uses the request, the configuration and the keyring.
    package init(whileLookingUp error: any Error) {
        switch error {
        case let error as UserFacingError: self = error
        case let refusal as CredentialContext.Refusal: self.init(refusal)
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
