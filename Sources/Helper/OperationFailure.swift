package import CredentialCore
package import Messages

/// Why an operation ends without a credential.
package enum OperationFailure: Error {
    /// Something failed.
    ///
    /// The person is told, and git must not go on to prompt for a password that cannot help.
    case failed(UserFacingError)
    /// Something is missing that a person can enter at git's own prompt, so git may go on.
    case unserved(UserFacingError)
    /// The person already knows: they cancelled, or saw it fail in another window.
    case known
    /// Nobody waits for the answer any more.
    ///
    /// A part of git that is still running must not prompt for a password.
    case abandoned

    /// The failure of a call to the keyring; whoever interrupted it knows.
    package init(_ error: KeyringError) { self = error == .interrupted ? .known : .failed(.keyring(error)) }

    /// The error to show to the person, if any.
    package var error: UserFacingError? {
        switch self {
        case .failed(let error), .unserved(let error): error
        case .known, .abandoned: nil
        }
    }

    /// Whether git may ask other helpers, and then the person.
    package var letsGitGoOn: Bool {
        switch self {
        case .unserved: true
        case .failed, .known, .abandoned: false
        }
    }
}
