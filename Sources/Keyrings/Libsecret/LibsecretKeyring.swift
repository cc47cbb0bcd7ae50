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
    private let inPassing: (ItemAttributes) -> [Item]?
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

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try traced("search", { "\($0.count) items, \($0.count(where: \.isLocked)) locked" }) {
            () throws(KeyringError) in
            if let found = inPassing(attributes), !found.isEmpty { return found }
            guard attributes.isExpressible else { return [] }
            return try retryingBriefly { () throws(KeyringError) in try search(for: attributes) }
        }
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try traced("unlock", { _ in "unlocked" }) { () throws(KeyringError) in
            do throws(KeyringError) {
                return try retryingBriefly { () throws(KeyringError) in
                    _ = try unlock(items.map(\.path))
                    return try readUnlockedOnce(items)
                }
            } catch {
                try help(self, error, .holding(items))
                return try readUnlocked(items)
            }
        }
    }

    package func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item] {
        try retryingBriefly { () throws(KeyringError) in try readUnlockedOnce(items) }
    }

    private func readUnlockedOnce(_ items: [Item]) throws(KeyringError) -> [Item] {
        var readable: [Item] = []
        for item in items {
            let read = try service.read(item.path, foundBy: item.attributes)
            if let read, !read.isLocked { readable.append(read) }
        }
        // The service may report success although nothing can be read.
        guard !readable.isEmpty else { throw .locked }
        return readable
    }

    package func remove(_ item: Item) throws(KeyringError) {
        try traced("remove", { "removed" }) { () throws(KeyringError) in
            try retryingBriefly { () throws(KeyringError) in
                do throws(KeyringError) {
                    try erase(item.path)
                } catch .noSuchObject {
                    return  // gone already
                }
            }
        }
    }

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

    func disconnect() { openConnection = nil }
}

/// Decides what an empty result means while the keyring is locked.
///
/// `SearchItems` returns locked items as well (Secret Service), as gnome-keyring does. KWallet hides a wallet that has
/// not been opened since it started. KeePassXC hides a locked database, and a search opens a dialog if all are locked
/// (`UnlockBeforeSearch`, its default). So the collections are checked first.
extension LibsecretKeyring {
    /// - Throws: `.locked` if nothing is found and the locked keyring may hide items.
    private func search(for attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try prepareSearch()
        let found = try service.readItems(having: attributes)
        guard found.isEmpty, try !emptyMeansAbsent() else { return found }
        throw .locked
    }

    /// Whether an empty result proves that there is no item, at least where new items go.
    private func emptyMeansAbsent() throws(KeyringError) -> Bool {
        if try isOpen(), configuredCollection == nil { return true }
        if try service.program() == .gnomeKeyring { return true }
        return try writeCollection()?.isLocked != true
    }
}

extension LibsecretKeyring: ForeignKeyring {
    /// More items than any tool stores for one person; a limit, since reading takes time.
    private static let mostForeignItems = 500

    package func foreignItems(
        having attributes: [(name: String, value: [UInt8])]
    ) throws(KeyringError) -> [ForeignItem] {
        try retryingBriefly { () throws(KeyringError) in
            try prepareSearch()
            var (paths, locked) = try service.search(named: attributes)
            if !locked.isEmpty { paths += try unlock(locked) }
            var items: [ForeignItem] = []
            for path in paths.prefix(Self.mostForeignItems) {
                if let item = try readForeign(path) { items.append(item) }
            }
            return items
        }
    }

    /// `nil` if the item no longer exists or is still locked.
    private func readForeign(_ path: String) throws(KeyringError) -> ForeignItem? {
        do throws(KeyringError) {
            let secret = try service.secret(of: path)
            let properties = try service.properties(of: path, interface: SecretServiceConnection.Name.item)
            guard let secret else {
                guard properties["Locked"]?.boolean == true else { throw .noSession }
                return nil
            }
            return ForeignItem(
                attributes: properties["Attributes"]?.dictionary ?? [],
                modified: properties["Modified"]?.uint64 ?? 0, secret: secret)
        } catch .noSuchObject, .locked {
            return nil
        }
    }
}
