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
