/// One refresh or sign-in at a time for a host and account, on the whole machine.
package protocol Locks {
    /// `whileWaiting` is called every 100 milliseconds or more often while another process holds the lock.
    ///
    /// False ends the wait. The lock is held until it is released or the process ends.
    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock

    /// Nil if that is not known.
    func secondsSinceGivingUp(_ name: LockName) -> Int64?
}

package protocol HeldLock: AnyObject {
    /// Those who waited should then give up as well.
    var predecessorGaveUp: Bool { get }
    /// Tells the waiting processes.
    func giveUp()
    func release()
}

package enum LockError: Error, Equatable {
    case timedOut
    /// `whileWaiting` returned false.
    case stopped
    /// There is no safe place for a lock file.
    case impossible
    /// The file system refuses the lock, or does not answer, as NFS without a lock service.
    case failed(folder: String, reason: String)

    /// Whether another attempt is of no use.
    package var isForGood: Bool {
        switch self {
        case .impossible, .failed: true
        case .timedOut, .stopped: false
        }
    }
}

package struct LockName: Equatable {
    /// A digest, usable as a file name: the runtime directory does not have to reveal who signs in where.
    ///
    /// It is the same for each case of an account's name: most hosts know it in one spelling, and gitspace in another.
    package let text: String

    /// For refreshing, replacing or removing its item.
    package static func account(_ account: [UInt8], on host: HostName) -> LockName {
        LockName(purpose: "account", host: host, account: account)
    }

    /// The requested account; a request without one has a lock of its own.
    package static func signIn(as account: [UInt8]?, on host: HostName) -> LockName {
        LockName(purpose: account == nil ? "sign-in" : "sign-in-as", host: host, account: account ?? [])
    }

    /// For the single line that says that a git command waits for a sign-in of its own.
    package static func waitingLine(for account: [UInt8]?, on host: HostName) -> LockName {
        LockName(purpose: account == nil ? "waiting" : "waiting-as", host: host, account: account ?? [])
    }

    /// For the single notification that asks for a sign-in; two sessions of the desktop can have one each.
    package static func notification(onBus address: String) -> LockName {
        var digest = SHA256()
        digest.update(field: "notification".utf8)
        digest.update(field: address.utf8)
        return LockName(purpose: "notification", digest: digest.finish())
    }

    /// Likewise, for the question whether a place may have a token.
    package static func shareQuestion(onBus address: String) -> LockName {
        var digest = SHA256()
        digest.update(field: "share".utf8)
        digest.update(field: address.utf8)
        return LockName(purpose: "share", digest: digest.finish())
    }

    /// For the single question for the keyring's password.
    package static var keyringPassword: LockName { LockName(purpose: "password", digest: SHA256().finish()) }

    /// For the trial of `doctor`.
    package static var trial: LockName { LockName(purpose: "doctor", digest: SHA256().finish()) }

    package static var refusedTokens: LockName { LockName(purpose: "refused", digest: SHA256().finish()) }

    /// Of git's in-memory cache.
    package static func cacheEntry(of host: HostName) -> LockName {
        LockName(purpose: "cache", host: host, account: [])
    }

    private init(purpose: String, host: HostName, account: [UInt8]) {
        var digest = SHA256()
        digest.update(field: purpose.utf8)
        digest.update(field: host.text)
        digest.update(field: account.map(ASCII.folded))
        self.init(purpose: purpose, digest: digest.finish())
    }

    private init(purpose: String, digest: [UInt8]) {
        text = "\(purpose)-" + String(decoding: digest.prefix(32), as: UTF8.self)
    }
}

/// Tokens that a server rejected although the keyring could not be changed are not returned again.
///
/// Only a digest is remembered. It is forgotten after a day, or when another token is stored for the account.
package protocol RefusedTokens {
    /// Seconds since 1970; nil if no rejection is remembered.
    func refusal(of token: Secret, for account: LockName) -> Int64?

    func remember(_ token: Secret, for account: LockName)
}

/// What processes tell each other about a sign-in.
///
/// Nothing depends on it but how often a person is asked. A note is about one command of git's or, where no git command
/// asks, about a minute; a process that is killed leaves nothing that would keep a later command from asking.
package protocol SignInNotes {
    /// In the command that asks now.
    func refusal(of signIn: LockName) -> SignInRefusal?

    /// Only for the holder of the lock.
    func noteRefusal(of signIn: LockName)

    /// Only for the holder of the lock.
    func noteStart(of signIn: LockName)

    /// Only for the holder of the lock.
    func noteEnd(of signIn: LockName)

    /// As seen from here; nil if that has not been noted (yet).
    func place(of signIn: LockName) -> SignInLocation?

    /// The code that a person can enter now; only for the holder of the lock, and gone with its end.
    func noteCode(_ code: NotedCode, of signIn: LockName)

    /// The noted code; nil if there is none yet.
    func code(of signIn: LockName) -> NotedCode?

    /// Ends the sign-in of the holder of the lock, if it listens.
    func cancel(_ signIn: LockName)

    /// Lets others cancel, for as long as the result exists; only for the holder of the lock. Nil if they cannot.
    func cancellation(of signIn: LockName) -> (any SignInCancellation)?
}

/// A code that a process shows while it waits for the sign-in of another one.
package struct NotedCode: Equatable, Sendable {
    package let userCode: String
    package let page: String
    /// The moment at which the code expires, in milliseconds of uptime.
    package let end: Int64

    package init(userCode: String, page: String, end: Int64) {
        self.userCode = userCode
        self.page = page
        self.end = end
    }
}

/// A person's no at another process.
package protocol SignInCancellation: AnyObject {
    /// It becomes readable with the no.
    var descriptor: Int32 { get }
    var isRequested: Bool { get }
}

package enum SignInRefusal: Equatable, Sendable {
    case inThisCommand
    /// No git command asks, and it was said a short while ago.
    case shortlyBefore
}

/// The place of a sign-in, as seen from a process that waits for it.
package enum SignInLocation: Equatable, Sendable {
    case thisCommand
    case thisTerminal
    case anotherTerminal
    /// Not on a terminal, as on the desktop; or nobody knows.
    case elsewhere
}
