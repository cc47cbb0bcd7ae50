/// One refresh or sign-in at a time for a host and account, on the whole machine.
package protocol Locks {
    /// Waits for the lock of that name.
    ///
    /// - Parameters:
    ///   - name: tells hosts and accounts apart; holds nothing secret.
    ///   - milliseconds: how long to wait at most.
    ///   - whileWaiting: called every 100 milliseconds or less while somebody else holds the lock; false ends the wait.
    /// - Returns: the lock, which lasts until it is let go or the process ends.
    /// - Throws: why there is none.
    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock

    /// How long ago a holder of the lock last gave up, in seconds; nil if none has, as far as anybody remembers.
    func secondsSinceGivingUp(_ name: LockName) -> Int64?
}

/// A lock that we hold.
package protocol HeldLock: AnyObject {
    /// Whether the holder before us gave up, for a reason that counts for those who waited as well.
    var predecessorGaveUp: Bool { get }
    /// Tells those who wait that we gave up.
    func giveUp()
    /// Lets the next one in.
    func release()
}

/// Why there is no lock.
package enum LockError: Error, Equatable {
    /// Somebody else has held it all the time.
    case timedOut
    /// `whileWaiting` said so.
    case stopped
    /// There is no safe place for a lock file.
    case impossible
}
