/// Locks that allow one refresh or sign-in at a time for a host and account, on the whole machine.
package protocol Locks {
    /// Acquires a lock, which is held until it is released or the process ends.
    ///
    /// While another process holds the lock, `whileWaiting` is called at least every 100 milliseconds; false ends the
    /// wait.
    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock

    /// Seconds since the last holder gave up, or `nil` if unknown.
    func secondsSinceGivingUp(_ name: LockName) -> Int64?
}

package protocol HeldLock: AnyObject {
    /// Whether the last holder gave up while this process waited, which should then give up as well.
    var predecessorGaveUp: Bool { get }
    func giveUp()
    func release()
}

package enum LockError: Error, Equatable {
    case timedOut
    /// `whileWaiting` returned false.
    case stopped
    /// There is no safe place for a lock file.
    case impossible
    /// The file system refuses the lock or does not answer, such as NFS without a lock service.
    case failed(folder: String, reason: String)

    package var isForGood: Bool {
        switch self {
        case .impossible, .failed: true
        case .timedOut, .stopped: false
        }
    }
}

package struct LockName: Equatable {
    /// The purpose and a digest, for a file name: the runtime directory need not reveal who signs in where.
    ///
    /// The digest ignores the letter case of the account's name, which may be spelt differently at the host and here.
    package let text: String

    /// The lock for refreshing, replacing or removing an account's item.
    package static func account(_ account: [UInt8], on host: HostName) -> LockName {
        LockName(purpose: "account", host: host, account: account)
    }

    /// The lock for a sign-in as the requested account; requests without one have a lock of their own.
    package static func signIn(as account: [UInt8]?, on host: HostName) -> LockName {
        LockName(purpose: account == nil ? "sign-in" : "sign-in-as", host: host, account: account ?? [])
    }

    /// The lock for the line that tells that a git command waits for another one's sign-in.
    package static func waitingLine(for account: [UInt8]?, on host: HostName) -> LockName {
        LockName(purpose: account == nil ? "waiting" : "waiting-as", host: host, account: account ?? [])
    }

    /// The lock for the notification that asks for a sign-in; each desktop session can have one.
    package static func notification(onBus address: String) -> LockName {
        LockName("notification", Array("notification".utf8), Array(address.utf8))
    }

    /// The lock for the question whether a place may have a token; each desktop session can have one.
    package static func shareQuestion(onBus address: String) -> LockName {
        LockName("share", Array("share".utf8), Array(address.utf8))
    }

    package static var keyringPassword: LockName { LockName("password") }

    /// The lock that `doctor` acquires as a trial.
    package static var trial: LockName { LockName("doctor") }
    package static var refusedTokens: LockName { LockName("refused") }

    package static func cacheEntry(of host: HostName) -> LockName {
        LockName(purpose: "cache", host: host, account: [])
    }

    private init(purpose: String, host: HostName, account: [UInt8]) {
        self.init(purpose, Array(purpose.utf8), host.text, account.map(ASCII.folded))
    }

    private init(_ purpose: String, _ fields: [UInt8]...) {
        var digest = SHA256()
        for field in fields { digest.update(field: field) }
        text = "\(purpose)-" + String(decoding: digest.finish().prefix(32), as: UTF8.self)
    }
}

/// Tokens that a server rejected although the keyring could not be changed, so that they are not returned again.
///
/// Only a digest is kept, for a day or until another token is stored for the account.
package protocol RefusedTokens {
    /// The time of the rejection in seconds since 1970, or `nil` if none is remembered.
    func refusal(of token: Secret, for account: LockName) -> Int64?
    func remember(_ token: Secret, for account: LockName)
}

/// Notes about a sign-in for other processes, which limit how often a person is asked; only the lock's holder writes.
///
/// A note is about one git command or, without one, about a minute. A killed process leaves no note that would keep a
/// later command from asking.
package protocol SignInNotes {
    func refusal(of signIn: LockName) -> SignInRefusal?
    func noteRefusal(of signIn: LockName)
    func noteStart(of signIn: LockName)
    func noteEnd(of signIn: LockName)

    /// The place as seen from here, or `nil` if none is noted.
    func place(of signIn: LockName) -> SignInLocation?

    /// Notes a code, which is valid until the lock is released.
    func noteCode(_ code: NotedCode, of signIn: LockName)
    func code(of signIn: LockName) -> NotedCode?

    /// Cancels the sign-in of the lock's holder if the holder accepts that.
    func cancel(_ signIn: LockName)

    /// Lets other processes cancel while the result exists; `nil` if they cannot.
    func cancellation(of signIn: LockName) -> (any SignInCancellation)?
}

/// A code that a process shows while it waits for the sign-in of another one.
package struct NotedCode: Equatable, Sendable {
    package let userCode: String
    package let page: String
    /// The expiry in milliseconds of uptime.
    package let end: Int64

    package init(userCode: String, page: String, end: Int64) {
        self.userCode = userCode
        self.page = page
        self.end = end
    }
}

package protocol SignInCancellation: AnyObject {
    /// The descriptor that becomes readable when another process cancels.
    var descriptor: Int32 { get }
    var isRequested: Bool { get }
}

package enum SignInRefusal: Equatable, Sendable {
    case inThisCommand
    /// There is no git command, and a person refused less than a minute ago.
    case shortlyBefore
}

package enum SignInLocation: Equatable, Sendable {
    case thisCommand
    case thisTerminal
    case anotherTerminal
    /// The desktop, or an unknown place.
    case elsewhere
}
