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

/// The name of a lock, for refreshing or signing in to an account of a host.
package struct LockName: Equatable {
    /// A digest, usable as a file name: the runtime directory does not have to reveal who signs in where.
    package let text: String

    /// The lock for refreshing, replacing or removing the item of an account.
    package static func account(_ account: [UInt8], on host: HostName) -> LockName {
        LockName(purpose: "account", host: host, account: account)
    }

    /// The lock for signing in.
    ///
    /// The account is the requested one; a request without an account has a lock of its own.
    package static func signIn(as account: [UInt8]?, on host: HostName) -> LockName {
        LockName(purpose: account == nil ? "sign-in" : "sign-in-as", host: host, account: account ?? [])
    }

    /// The lock for the single line that says that a git command waits for a sign-in of its own.
    package static func waitingLine(for account: [UInt8]?, on host: HostName) -> LockName {
        LockName(purpose: account == nil ? "waiting" : "waiting-as", host: host, account: account ?? [])
    }

    /// The lock for the single notification that asks for a sign-in in a desktop session.
    ///
    /// - Parameter address: the address of the session's bus: two sessions can have one notification each.
    /// - Returns: the name.
    package static func notification(onBus address: String) -> LockName {
        var digest = SHA256()
        digest.update(field: "notification".utf8)
        digest.update(field: address.utf8)
        return LockName(purpose: "notification", digest: digest.finish())
    }

    /// The lock for the single notification that asks whether a place may have a token, likewise.
    package static func shareQuestion(onBus address: String) -> LockName {
        var digest = SHA256()
        digest.update(field: "share".utf8)
        digest.update(field: address.utf8)
        return LockName(purpose: "share", digest: digest.finish())
    }

    /// The lock for the file of rejected tokens.
    package static var refusedTokens: LockName { LockName(purpose: "refused", digest: SHA256().finish()) }

    /// The lock for the entry that git's in-memory cache keeps for a host.
    package static func cacheEntry(of host: HostName) -> LockName {
        LockName(purpose: "cache", host: host, account: [])
    }

    private init(purpose: String, host: HostName, account: [UInt8]) {
        var digest = SHA256()
        digest.update(field: purpose.utf8)
        digest.update(field: host.text)
        digest.update(field: account)
        self.init(purpose: purpose, digest: digest.finish())
    }

    private init(purpose: String, digest: [UInt8]) {
        text = "\(purpose)-" + String(decoding: digest.prefix(32), as: UTF8.self)
    }
}

/// Tokens that a server rejected although the keyring could not be changed.
///
/// They are not returned again.
///
/// Only a digest is remembered. It is forgotten after a day, or when another token is stored for the account.
package protocol RefusedTokens {
    /// When a token was rejected.
    ///
    /// - Parameters:
    ///   - token: the one that is stored for the account.
    ///   - account: the name of its lock.
    /// - Returns: seconds since 1970; nil if no rejection is remembered.
    func refusal(of token: Secret, for account: LockName) -> Int64?

    /// Remembers that a token was just rejected.
    func remember(_ token: Secret, for account: LockName)
}

/// What processes tell each other about a sign-in: where a person is being asked, and that they have said no.
///
/// Nothing depends on it but how often a person is asked. A note is about one command of git's or, where no git command
/// asks, about a minute; a process that is killed leaves nothing that would keep a later command from asking.
package protocol SignInNotes {
    /// Whether the person has said no to the sign-in in the command that asks now.
    func refusal(of signIn: LockName) -> SignInRefusal?

    /// Notes that the person has said no; only for the holder of the lock.
    func noteRefusal(of signIn: LockName)

    /// Notes where the person is being asked; only for the holder of the lock.
    func noteStart(of signIn: LockName)

    /// Takes that back; only for the holder of the lock.
    func noteEnd(of signIn: LockName)

    /// Where the person is being asked, seen from here; nil if that has not been noted (yet).
    func place(of signIn: LockName) -> SignInPlace?
}

/// A no that still holds.
package enum SignInRefusal: Equatable, Sendable {
    /// It was said in this very git command.
    case inThisCommand
    /// No git command asks, and it was said a short while ago.
    case shortlyBefore
}

/// Where a person is being asked to sign in, seen from a process that waits for it.
package enum SignInPlace: Equatable, Sendable {
    case thisCommand
    case thisTerminal
    case anotherTerminal
    /// Not on a terminal, as on the desktop; or nobody knows.
    case elsewhere
}
