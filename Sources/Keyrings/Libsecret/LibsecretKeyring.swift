package import CredentialCore
internal import GLibSupport
internal import System

/// ③ ⑥ The Secret Service through libsecret: gnome-keyring, KWallet, KeePassXC.
///
/// Reads and writes the items of git's own `git-credential-libsecret`. Synchronous, for one thread; no call waits
/// beyond its deadline (`KeyringCalls`). Create the first instance while the process has one thread (`GLibProcess`).
package final class LibsecretKeyring: Keyring {
    let limits: KeyringLimits
    /// Read only before the first write, since reading the configuration takes time.
    private(set) lazy var configuredCollection: String? = collection()
    private let collection: () -> String?
    private(set) lazy var canPrompt: Bool = hasDisplay()
    private let hasDisplay: () -> Bool
    private(set) lazy var isPersonHere: Bool = personIsHere()
    private let personIsHere: () -> Bool
    let calls: KeyringCalls
    let inPassing: (ItemAttributes) -> [Item]?
    let help: Help
    private let trace: ((String) -> Void)?
    private var openConnection: SecretServiceConnection?

    /// Asks a person to unlock or create a keyring; the failed call is then repeated.
    ///
    /// - Throws: an error if nobody can be asked, or the person refuses.
    package typealias Help = (LibsecretKeyring, KeyringError, CollectionSelection) throws(KeyringError) -> Void

    /// Prepares the keyring without contacting the bus.
    ///
    /// - Parameters:
    ///   - collection: where new items go, an alias or an object path; `nil` for the alias `default`, or for the first
    ///     unlocked collection if that alias points to none.
    ///   - canPrompt: whether a person would see a prompt and allows it: there is a display, and no setting forbids it.
    ///   - isPersonHere: whether a person at this machine allows prompts, for keyrings with a window of their own.
    ///   - limits: how long calls may take.
    ///   - interrupted: polled at least every 100 milliseconds while waiting; true ends the call.
    ///   - willPrompt: called once when a person is prompted, so that the terminal can mention it.
    ///   - inPassing: a quicker search, used unless its answer is empty.
    ///   - help: called if a keyring is locked or missing.
    ///   - trace: gets a line after each call, so that a save never waits for the reader of the trace.
    package init(
        collection: @autoclosure @escaping () -> String? = nil, canPrompt: @autoclosure @escaping () -> Bool,
        isPersonHere: @autoclosure @escaping () -> Bool = false, limits: KeyringLimits = KeyringLimits(),
        interrupted: @escaping () -> Bool = { false }, willPrompt: @escaping (KeyringProgram) -> Void = { _ in },
        inPassing: @escaping (ItemAttributes) -> [Item]? = { _ in nil },
        help: @escaping Help = { _, failure, _ throws(KeyringError) in throw failure }, trace: ((String) -> Void)? = nil
    ) {
        // Prepares the process for GLib.
        _ = GLibProcess.bus
        self.limits = limits
        hasDisplay = canPrompt
        personIsHere = isPersonHere
        self.collection = collection
        self.inPassing = inPassing
        self.help = help
        self.trace = trace
        calls = KeyringCalls(within: limits, interrupted: interrupted, willPrompt: willPrompt)
    }

    package var storage: CredentialStorage { .keyring }

    func traced<Result>(
        _ what: String, _ outline: (Result) -> String, _ body: () throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        let stopwatch = Stopwatch()
        do {
            let result = try body()
            trace?("keyring: \(what): \(outline(result)), \(stopwatch.text)")
            return result
        } catch {
            trace?("keyring: \(what): \(error), \(stopwatch.text)")
            throw error
        }
    }

    /// Retries on a new connection: once after `.disconnected`, three times after `.noSession`, since one of 128
    /// sessions with KWallet is unusable.
    func retryingBriefly<Value>(_ body: () throws(KeyringError) -> Value) throws(KeyringError) -> Value {
        var repeats = 0
        while true {
            do {
                // First, so that its error is not taken for the body's.
                _ = try service
                return try body()
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

    /// The connection, opened when first needed.
    var service: SecretServiceConnection {
        get throws(KeyringError) {
            if let openConnection { return openConnection }
            let connection = try SecretServiceConnection(calls: calls)
            openConnection = connection
            return connection
        }
    }

    private func disconnect() { openConnection = nil }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        try traced("is it writable?", { "yes" }) { () throws(KeyringError) in
            do throws(KeyringError) {
                try checkWritableOnce(mayPrompt: mayPrompt)
            } catch {
                guard mayPrompt else { throw error }
                try help(self, error, .forNewItems)
                try checkWritableOnce(mayPrompt: false)
            }
        }
    }

    private func checkWritableOnce(mayPrompt: Bool) throws(KeyringError) {
        let found = try retryingBriefly { () throws(KeyringError) in try collectionForNewItems() }
        guard found.isLocked else { return }
        try retryingBriefly { () throws(KeyringError) in
            if mayPrompt {
                _ = try unlock([found.path])
            } else {
                guard try openUnasked() else { throw .locked }
            }
            let isLocked = try service.collection(at: found.path)?.isLocked ?? true
            guard !isLocked else { throw .locked }
        }
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try traced("save", { "saved" }) { () throws(KeyringError) in
            guard attributes.isExpressible else { throw .unstorable }
            do throws(KeyringError) {
                try retrying { () throws(KeyringError) in try saveOnce(secret, under: attributes) }
            } catch {
                try help(self, error, error == .locked ? lockedPlace(of: attributes) : .forNewItems)
                try retrying { () throws(KeyringError) in try saveOnce(secret, under: attributes) }
            }
        }
    }

    private func lockedPlace(of attributes: ItemAttributes) throws(KeyringError) -> CollectionSelection {
        let stored = try items(having: attributes).filter { $0.attributes == attributes && $0.isLocked }
        return stored.isEmpty ? .forNewItems : .holding(stored)
    }

    package func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try traced("replace", { $0 ? "replaced" : "changed since it was read" }) { () throws(KeyringError) in
            guard let read = item.secret else { throw .locked }
            // A save creates a separate item of the newer schema, which the collection must accept.
            if item.schemaName != Schema.gitPassword.rawValue { try checkWritableOnce(mayPrompt: false) }
            return try retryingBriefly { () throws(KeyringError) in
                guard let current = try service.read(item.path, foundBy: item.attributes) else { return false }
                // KeePassXC may ask a person again for the save, so not for this read as well.
                guard current.isLocked || current.secret == read else { return false }
                try replaceSecret(of: item.path, with: secret)
                return true
            }
        }
    }

    /// Saves without checking locks first: a locked item refuses the save, and KWallet reports open ones as locked.
    private func saveOnce(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try prepareSearch()
        var duplicates = try duplicates(of: attributes)
        if let hidden = duplicates.first(where: \.isHidden) {
            // A second item would be created otherwise, in the collection for new items.
            _ = try unlock([hidden.item.path])
            duplicates = try self.duplicates(of: attributes)
        }
        var path: String
        if let current = duplicates.first(where: \.item.isOfGitsSchema) {
            // KeePassXC 2.7.4 answers a repeated creation with a dialog.
            path = current.item.path
            try replaceSecret(of: path, with: secret)
        } else {
            path = try create(secret, under: attributes)
            // Another process may have created one at the same time: both keep the first by path.
            duplicates = try self.duplicates(of: attributes)
            if let first = duplicates.filter(\.item.isOfGitsSchema).map(\.item.path).min(), first < path {
                path = first
                try replaceSecret(of: path, with: secret)
            }
        }
        // No error does not mean success, and another process may have saved in between; a retry overwrites that.
        guard try isKept(secret, at: path) else { throw .notKept }
        for duplicate in duplicates where duplicate.item.path != path { removeSuperseded(duplicate.item.path) }
    }

    private func isKept(_ secret: Secret, at path: String) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            return try service.secret(of: path) == secret
        } catch .locked {
            // A person who allowed KeePassXC one access has allowed the save, but not this read.
            return true
        }
    }

    private func replaceSecret(of path: String, with secret: Secret) throws(KeyringError) {
        do throws(KeyringError) {
            try service.replaceSecret(of: path, with: secret)
        } catch .locked {
            // The person may have allowed KeePassXC one access only.
            _ = try unlock([path])
            try service.replaceSecret(of: path, with: secret)
        }
    }

    /// Deletes an item, with a prompt if that is necessary and possible.
    ///
    /// Overwrites it first, since KeePassXC moves deleted entries to a recycle bin. The Secret Service cannot clear the
    /// entry's history there.
    package func remove(_ item: Item) throws(KeyringError) {
        try traced("remove", { "removed" }) { () throws(KeyringError) in
            try retryingBriefly { () throws(KeyringError) in
                do throws(KeyringError) {
                    try replaceSecret(of: item.path, with: Secret([]))
                    try service.delete(item.path, prompting: incidentalPrompting())
                } catch .noSuchObject {
                    return  // gone already
                }
            }
        }
    }

    /// The items with exactly these attributes, of either schema or none: the newest first, then by path.
    private func duplicates(of attributes: ItemAttributes) throws(KeyringError) -> [DescribedItem] {
        let (unlocked, locked) = try service.search(named: attributes.named)
        var duplicates: [DescribedItem] = []
        for path in unlocked + locked {
            guard let found = try service.describe(path, foundBy: attributes), found.item.attributes == attributes,
                found.item.schemaName.map({ Schema(rawValue: $0) != nil }) ?? true
            else { continue }
            duplicates.append(found)
        }
        return duplicates.sorted { ($1.item.modified, $0.item.path) < ($0.item.modified, $1.item.path) }
    }

    private func create(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) -> String {
        let collection = try collectionForNewItems()
        // KeePassXC would answer with a dialog. KWallet refuses by itself, and reports open wallets as locked.
        if collection.isLocked, try service.program() != .kwallet { _ = try unlock([collection.path]) }
        return try service.createItem(
            in: collection.path, attributes: attributes, secret: secret, prompting: incidentalPrompting())
    }

    /// Deletes an older item; ignores failures, since the secret is already saved.
    private func removeSuperseded(_ path: String) {
        if (try? service.replaceSecret(of: path, with: Secret([]))) != nil {
            try? service.delete(path, prompting: .none)
        }
    }

    /// Retries with increasing pauses until success, a permanent failure, or the deadline.
    private func retrying(_ body: () throws(KeyringError) -> Void) throws(KeyringError) {
        try calls.within(limits.saveMilliseconds) { () throws(KeyringError) in
            var pause: Int64 = 50
            var wasDisconnected = false
            while true {
                do throws(KeyringError) {
                    _ = try service
                    return try body()
                } catch {
                    switch error {
                    case .disconnected: wasDisconnected = true
                    case .noSuchObject, .notKept: break  // another process was faster: try again
                    case .noSession: break
                    case .noProvider where wasDisconnected: break  // it may be starting
                    default: throw error
                    }
                    disconnect()
                    try rethrowing(as: { $0 == .interrupted ? $0 : error }, try calls.pause(milliseconds: pause))
                    pause = min(2 * pause, 1_600)
                }
            }
        }
    }
}
