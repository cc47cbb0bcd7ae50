/// Locks that allow one refresh or sign-in at a time for a host and account, on the whole machine.
package protocol Locks {
    /// Waits for the lock with that name.
    ///
    /// - Parameters:
    ///   - name: distinguishes hosts and accounts; contains no secret.
    ///   - milliseconds: how long to wait at most.
    ///   - whileWaiting: called every 100 milliseconds or more often while another process holds the lock; false ends
    ///     the wait.
    /// - Returns: the lock, which is held until it is released or the process ends.
    /// - Throws: why there is none.
    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock

    /// How many seconds ago a holder of the lock last gave up; nil if that is not known.
    func secondsSinceGivingUp(_ name: LockName) -> Int64?
}

/// A lock that we hold.
package protocol HeldLock: AnyObject {
    /// Whether the previous holder gave up, so that those who waited should give up as well.
    var predecessorGaveUp: Bool { get }
    /// Tells the waiting processes that we gave up.
    func giveUp()
    /// Releases the lock.
    func release()
}

/// Why a lock could not be acquired.
package enum LockError: Error, Equatable {
    /// Another process held it all the time.
    case timedOut
    /// `whileWaiting` returned false.
    case stopped
    /// There is no safe place for a lock file.
    case impossible
}
