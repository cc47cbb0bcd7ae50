package import CredentialCore
internal import GLibSupport
internal import System

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
    private let inPassing: (ItemAttributes) -> [Item]?
    let help: Help
    private let trace: ((String) -> Void)?
    private var openConnection: SecretServiceConnection?

    /// Asks a person for what a call has failed without: an unlocked keyring, or any; the call is then repeated.
    ///
    /// Throws if nobody can be asked, or the person refuses.
    package typealias Help = (LibsecretKeyring, KeyringError, CollectionSelection) throws(KeyringError) -> Void

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
    ///   - inPassing: a quicker search, whose answer counts if it is not empty.
    ///   - help: what else can be done where a keyring is locked or missing.
    ///   - trace: gets a line for each call, after its end: a save must not wait for the reader of the trace.
    package init(
        collection: @autoclosure @escaping () -> String? = nil, canPrompt: @autoclosure @escaping () -> Bool,
        isPersonHere: @autoclosure @escaping () -> Bool = false,
        limits: KeyringLimits = KeyringLimits(),
        interrupted: @escaping () -> Bool = { false }, willPrompt: @escaping (KeyringProgram) -> Void = { _ in },
        inPassing: @escaping (ItemAttributes) -> [Item]? = { _ in nil },
        help: @escaping Help = { _, failure, _ throws(KeyringError) in throw failure },
        trace: ((String) -> Void)? = nil
    ) {
        precondition(GLibProcess.isPrepared)
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
            return try retryingBriefly { service throws(KeyringError) in try search(for: attributes, on: service) }
        }
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try traced("unlock", { _ in "unlocked" }) { () throws(KeyringError) in
            do throws(KeyringError) {
                return try retryingBriefly { service throws(KeyringError) in
                    _ = try unlock(items.map(\.path), on: service)
                    return try readUnlocked(items, on: service)
                }
            } catch {
                try help(self, error, .holding(items))
                return try readUnlocked(items)
            }
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
        try traced("remove", { "removed" }) { () throws(KeyringError) in
            try retryingBriefly { service throws(KeyringError) in
                do throws(KeyringError) {
                    try erase(item.path, on: service)
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

/// Decides what an empty result means while the keyring is locked.
///
/// The specification has `SearchItems` return locked items as well. gnome-keyring does. KWallet shows nothing of a
/// wallet that has not been opened since it started; KeePassXC shows nothing of a locked database, and while all are
/// locked it answers a search with a dialog (`UnlockBeforeSearch`, its default). So the collections are checked first.
extension LibsecretKeyring {
    /// - Throws: `.locked` if nothing is found and the locked keyring may hide items.
    private func search(
        for attributes: ItemAttributes, on service: SecretServiceConnection
    ) throws(KeyringError) -> [Item] {
        try prepareSearch(on: service)
        let found = try service.readItems(having: attributes)
        guard found.isEmpty, try !emptyMeansAbsent(service) else { return found }
        throw .locked
    }

    /// Finding nothing then proves that there is nothing, at least where new items go.
    private func emptyMeansAbsent(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        if try isOpen(service), configuredCollection == nil { return true }
        if try service.program() == .gnomeKeyring { return true }
        return try writeCollection(of: service)?.isLocked != true
    }
}

extension LibsecretKeyring: ForeignKeyring {
    /// More than any tool stores for one person; reading more would take too long.
    private static let mostForeignItems = 500

    package func foreignItems(
        having attributes: [(name: String, value: [UInt8])]
    ) throws(KeyringError) -> [ForeignItem] {
        try retryingBriefly { service throws(KeyringError) in
            try prepareSearch(on: service)
            var (paths, locked) = try service.search(named: attributes)
            if !locked.isEmpty {
                paths += try unlock(locked, on: service)
            }
            var items: [ForeignItem] = []
            for path in paths.prefix(Self.mostForeignItems) {
                if let item = try readForeign(path, on: service) { items.append(item) }
            }
            return items
        }
    }

    /// Nil if the item no longer exists, or is still locked.
    private func readForeign(_ path: String, on service: SecretServiceConnection) throws(KeyringError) -> ForeignItem? {
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
