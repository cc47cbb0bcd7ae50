package import CredentialCore
internal import GLibSupport

/// ③ ⑥ The Secret Service through libsecret: gnome-keyring, KWallet, KeePassXC.
///
/// Reads and writes exactly the items of git's own `git-credential-libsecret`. Synchronous, for use on one thread; no
/// call waits beyond its deadline (`KeyringCalls`). The first instance must be created while the process has one thread
/// (`GLibProcess`).
package final class LibsecretKeyring: Keyring {
    let limits: KeyringLimits
    /// Read only when something is to be written, since reading the configuration takes time.
    private(set) lazy var configuredCollection: String? = collection()
    private let collection: () -> String?
    /// Determined only when a prompt would be shown, for the same reason.
    private(set) lazy var canPrompt: Bool = hasDisplay()
    private let hasDisplay: () -> Bool
    /// The same, for a keyring that prompts in its own window.
    private(set) lazy var isPersonHere: Bool = personIsHere()
    private let personIsHere: () -> Bool
    let calls: KeyringCalls
    private var openConnection: SecretServiceConnection?

    /// Does not contact the bus yet.
    ///
    /// - Parameters:
    ///   - collection: where new items go: an alias or an object path. Nil for the alias `default`, or for the first
    ///     unlocked collection if that alias points to none.
    ///   - canPrompt: whether a person could see a prompt, and wants to: there is a display, and nothing forbids it.
    ///   - isPersonHere: whether a person is at this machine and wants to be prompted: for keyrings that have their own
    ///     display, whether we have one or not.
    ///   - limits: how long calls may take.
    ///   - interrupted: polled at least every 100 milliseconds while waiting; once true, the call ends.
    ///   - willPrompt: called once when a person is prompted, so that the terminal can say so.
    package init(
        collection: @autoclosure @escaping () -> String? = nil, canPrompt: @autoclosure @escaping () -> Bool,
        isPersonHere: @autoclosure @escaping () -> Bool = false,
        limits: KeyringLimits = KeyringLimits(),
        interrupted: @escaping () -> Bool = { false }, willPrompt: @escaping (KeyringProgram) -> Void = { _ in }
    ) {
        precondition(GLibProcess.isPrepared)
        self.limits = limits
        hasDisplay = canPrompt
        personIsHere = isPersonHere
        self.collection = collection
        calls = KeyringCalls(within: limits, interrupted: interrupted, willPrompt: willPrompt)
    }

    package var storage: CredentialStorage { .keyring }

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        guard attributes.isExpressible else { return [] }
        return try retryingBriefly { service throws(KeyringError) in try search(for: attributes, on: service) }
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try retryingBriefly { service throws(KeyringError) in
            _ = try unlock(items.map(\.path), on: service)
            return try readUnlocked(items, on: service)
        }
    }

    /// Those that are not locked any more, without asking for anything.
    package func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item] {
        try retryingBriefly { service throws(KeyringError) in try readUnlocked(items, on: service) }
    }

    private func readUnlocked(
        _ items: [Item], on service: SecretServiceConnection
    ) throws(KeyringError) -> [Item] {
        var readable: [Item] = []
        for item in items {
            let read = try service.read(item.path, foundBy: item.attributes)
            if let read, !read.isLocked { readable.append(read) }
        }
        // The service may have reported success, and still nothing can be read.
        guard !readable.isEmpty else { throw .locked }
        return readable
    }

    package func remove(_ item: Item) throws(KeyringError) {
        try retryingBriefly { service throws(KeyringError) in
            do throws(KeyringError) {
                try erase(item.path, on: service)
            } catch .noSuchObject {
                return  // gone already
            }
        }
    }

    /// Again on a new connection: once if the daemon goes away in the middle, and thrice if the session with it is no
    /// good, as one of KWallet's in 128 is.
    func retryingBriefly<Value>(
        _ body: (SecretServiceConnection) throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        var repeats = 0
        while true {
            do {
                return try body(connection())
            } catch {
                let most =
                    switch error {
                    case .disconnected: 1
                    case .noSession: 3
                    default: 0
                    }
                guard repeats < most else { throw error }
                repeats += 1
                disconnect()
            }
        }
    }

    /// Opened if necessary.
    func connection() throws(KeyringError) -> SecretServiceConnection {
        if let openConnection { return openConnection }
        let connection = try SecretServiceConnection(calls: calls)
        openConnection = connection
        return connection
    }

    func disconnect() { openConnection = nil }
}
