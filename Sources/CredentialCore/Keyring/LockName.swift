/// The name of a lock: under one, a host and account are refreshed or signed in.
package struct LockName: Equatable {
    /// Fit for a file name, and a digest: the machine's runtime directory need not say who signs in where.
    package let text: String

    /// The lock under which the item of an account is renewed, replaced or removed.
    package static func account(_ account: [UInt8], on host: HostName) -> LockName {
        LockName(purpose: "account", host: host, account: account)
    }

    /// The lock for signing in; the account is the one asked for, and none is an account of its own.
    package static func signIn(as account: [UInt8]?, on host: HostName) -> LockName {
        LockName(purpose: account == nil ? "sign-in" : "sign-in-as", host: host, account: account ?? [])
    }

    /// The lock for the one notification that asks for a sign-in in a desktop session.
    ///
    /// - Parameter address: that of the session's bus: two sessions have room for two.
    /// - Returns: the name.
    package static func notification(onBus address: String) -> LockName {
        var digest = SHA256()
        digest.update(field: "notification".utf8)
        digest.update(field: address.utf8)
        return LockName(purpose: "notification", digest: digest.finish())
    }

    /// The lock for the file of refused tokens.
    package static var refusedTokens: LockName { LockName(purpose: "refused", digest: SHA256().finish()) }

    /// The lock for what git's in-memory cache keeps for a host.
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
