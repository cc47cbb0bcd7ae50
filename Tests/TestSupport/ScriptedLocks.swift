package import CredentialCore
internal import Helper

/// Locks that are free, or held by somebody else for as long as a test wants.
package final class ScriptedLocks: Locks {
    /// The names of the locks that were wanted, in order.
    package private(set) var wanted: [String] = []
    /// How many locks are held at this moment.
    package fileprivate(set) var held = 0
    /// How often a holder gave up.
    package fileprivate(set) var gaveUp = 0
    /// How often whoever waits is asked to go on before the lock is free.
    package var turnsUntilFree = 0
    /// Whether somebody else holds a lock that is not waited for.
    package var isTakenAtOnce = false
    /// Why there is no lock, if there is none.
    package var fault: LockError?
    /// Whether the holder before us gave up.
    package var predecessorGaveUp = false
    /// What the holder before us did before letting go, or before we lost patience.
    package var whenAcquired: () -> Void = {}
    private let journal: Journal

    /// Locks that nobody holds.
    package init(journal: Journal = Journal()) { self.journal = journal }

    package func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock {
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
