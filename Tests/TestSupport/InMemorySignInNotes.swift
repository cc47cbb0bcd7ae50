package import CredentialCore

/// Notes about sign-ins that a test sets.
package final class InMemorySignInNotes: SignInNotes {
    package var refusal: SignInRefusal?
    /// The refusal that counts once the lock has been waited for.
    package var refusalMeanwhile: SignInRefusal?
    /// The place of another process's question, or `nil` if that is not noted.
    package var place: SignInLocation? = .elsewhere
    /// The number of reads before the place is noted.
    package var looksBeforePlace = 0
    package private(set) var refusals = 0
    /// How often it was noted that a person is asked.
    package private(set) var starts = 0
    /// How often it was noted that the question has ended.
    package private(set) var ends = 0
    /// The code that another process shows, or that was noted last.
    package var code: NotedCode?
    /// The number of waits that were cancelled for all processes.
    package private(set) var cancellations = 0
    package var isCancelledElsewhere = false
    private let journal: Journal

    package init(journal: Journal = Journal()) { self.journal = journal }

    package func refusal(of signIn: LockName) -> SignInRefusal? {
        journal.count(of: "lock") > 0 ? refusalMeanwhile ?? refusal : refusal
    }

    package func noteRefusal(of signIn: LockName) {
        refusals += 1
        journal.note("note refusal")
    }

    package func noteStart(of signIn: LockName) { starts += 1 }
    package func noteEnd(of signIn: LockName) { ends += 1 }

    package func place(of signIn: LockName) -> SignInLocation? {
        guard looksBeforePlace == 0 else {
            looksBeforePlace -= 1
            return nil
        }
        return place
    }

    package func noteCode(_ code: NotedCode, of signIn: LockName) { self.code = code }
    package func code(of signIn: LockName) -> NotedCode? { code }
    package func cancel(_ signIn: LockName) { cancellations += 1 }

    package func cancellation(of signIn: LockName) -> (any SignInCancellation)? {
        isCancelledElsewhere ? CancelledElsewhere() : nil
    }
}

private final class CancelledElsewhere: SignInCancellation {
    let descriptor: Int32 = -1
    let isRequested = true
}
