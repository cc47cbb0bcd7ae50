/// Why the story ends without a credential.
enum Stop: Error {
    /// Something failed; the person is told, and git shall not go on to ask for a password that cannot help.
    case failed(Complaint)
    /// Something is missing that a person can supply at git's own prompt, so git may go on.
    case unserved(Complaint)
    /// The person knows already: they cancelled, or watched it fail in another window.
    case known
    /// Nobody waits for the answer any more. A part of git that is left over must not ask for a password now.
    case abandoned

    /// What to tell the person, if anything.
    var complaint: Complaint? {
        switch self {
        case .failed(let complaint), .unserved(let complaint): complaint
        case .known, .abandoned: nil
        }
    }

    /// Whether git may ask other helpers, and then the person.
    var letsGitGoOn: Bool {
        switch self {
        case .unserved: true
        case .failed, .known, .abandoned: false
        }
    }
}
