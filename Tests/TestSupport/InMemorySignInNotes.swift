package import CredentialCore

/// Notes about sign-ins, as a test has them.
package final class InMemorySignInNotes: SignInNotes {
    /// The no that still holds.
    package var refusal: SignInRefusal?
    /// The same, from when the lock has been waited for.
    package var refusalMeanwhile: SignInRefusal?
    /// Where others ask; nil if they have not noted it.
    package var place: SignInLocation? = .elsewhere
    /// How often they are looked for before they have noted it.
    package var looksBeforePlace = 0
    /// How often a no was noted.
    package private(set) var refusals = 0
    /// How often it was noted that a person is asked.
    package private(set) var starts = 0
    /// How often that was taken back.
    package private(set) var ends = 0
    /// The code that another process shows, and the one that was noted last.
    package var code: NotedCode?
    /// How often a wait was cancelled for all.
    package private(set) var cancellations = 0
    /// Whether another process cancels.
    package var isCancelledElsewhere = false
    private let journal: Journal

    /// No notes.
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
