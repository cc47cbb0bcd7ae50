/// Why an operation ends without a credential.
package enum OperationFailure: Error {
    /// Something failed; the person is told, and git shall not go on to ask for a password that cannot help.
    case failed(UserFacingError)
    /// Something is missing that a person can supply at git's own prompt, so git may go on.
    case unserved(UserFacingError)
    /// The person knows already: they cancelled, or watched it fail in another window.
    case known
    /// Nobody waits for the answer any more. A part of git that is left over must not ask for a password now.
    case abandoned

    /// What to tell the person, if anything.
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
