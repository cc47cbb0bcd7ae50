internal import CredentialCore
internal import Helper
internal import OAuth

extension RevocationFailure {
    /// Why a token was not revoked, as the end of a sentence.
    func what(_ host: DisplayText) -> Message {
        switch self {
        case .unsupported: Message("gitspace cannot revoke tokens at %1$s", host)
        case .refused(let status): Message("%1$s refused the request (status %2$s)", host, status)
        case .transport(let error): error.words(host: host).what
        case .busy: UserFacingError.otherNotFinished(host: host).text
        case .lockImpossible: UserFacingError.lockImpossible.text
        case .interrupted: Message("interrupted")
        }
    }
}
