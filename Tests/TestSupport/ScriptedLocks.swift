package import CredentialCore
internal import Helper

/// Locks that are free, or that another process holds as long as a test wants.
package final class ScriptedLocks: Locks {
    /// The names of the requested locks, in order.
    package private(set) var wanted: [String] = []
    package fileprivate(set) var held = 0
    package fileprivate(set) var gaveUp = 0
    /// The number of turns in which a waiting process is asked to go on before the lock is free.
    package var turnsUntilFree = 0
    /// Whether another process holds a lock that is not waited for.
    package var isTakenAtOnce = false
    /// The error of every attempt to take a lock, or `nil` if locks can be taken.
    package var fault: LockError?
    package var predecessorGaveUp = false
    /// The action of the holder before us, before it released the lock or the wait timed out.
    package var whenAcquired: () -> Void = {}
    private let journal: Journal
    package init(journal: Journal = Journal()) { self.journal = journal }
    package func acquire(_ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool) throws(LockError)
        -> any HeldLock
    {
        wanted.append(name.text)
        if let fault {
            if fault == .timedOut { whenAcquired() }
            throw fault
        }
        if milliseconds == 0 {
            guard !isTakenAtOnce else { throw .timedOut }
            held += 1
            return Lock(self)
        }
        for _ in 0..<turnsUntilFree where !whileWaiting() { throw .stopped }
        whenAcquired()
        held += 1
        journal.note("lock")
        return Lock(self)
    }

    package func secondsSinceGivingUp(_ name: LockName) -> Int64? { nil }

    private final class Lock: HeldLock {
        private let locks: ScriptedLocks
        private var isHeld = true
        init(_ locks: ScriptedLocks) { self.locks = locks }
        var predecessorGaveUp: Bool { locks.predecessorGaveUp }
        func giveUp() { locks.gaveUp += 1 }

        func release() {
            guard isHeld else { return }
            isHeld = false
            locks.held -= 1
            locks.journal.note("unlock")
        }
    }
}

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
