/// The name of a lock: under one, a host and account are refreshed or signed in.
package struct LockName: Equatable {
    /// Fit for a file name, and a digest: the machine's runtime directory need not say who signs in where.
    package let text: String

    /// The lock for refreshing an account.
    package static func refresh(of account: [UInt8], on host: HostName) -> LockName {
        LockName(purpose: "refresh", host: host, account: account)
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
