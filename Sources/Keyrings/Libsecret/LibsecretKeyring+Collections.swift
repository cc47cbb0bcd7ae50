package import CredentialCore
internal import GLibSupport
internal import System

extension LibsecretKeyring {
    typealias Collection = SecretServiceConnection.Collection

    /// Throws unless a search opens no dialog; opens a wallet of KWallet if that needs no person.
    func prepareSearch() throws(KeyringError) {
        guard try !isOpen() else { return }
        switch try service.program() {
        case .keePassXC: guard try hasOpenCollection() else { throw .locked }
        case .kwallet: _ = try openUnasked()
        case .gnomeKeyring, .other: break
        }
    }

    /// Whether the default collection is open; neither unlocks nor prompts.
    func isOpen() throws(KeyringError) -> Bool {
        let service = try service
        if service.isDefaultOpen { return true }
        service.isDefaultOpen = try service.collection(at: SecretServiceConnection.Name.defaultPath)?.isLocked == false
        return service.isDefaultOpen
    }

    /// Whether any collection but gnome-keyring's session collection is open.
    private func hasOpenCollection() throws(KeyringError) -> Bool {
        let session = try service.path(ofAlias: Self.sessionAlias)
        for path in try service.collectionPaths() where path != session {
            if try service.collection(at: path)?.isLocked == false { return true }
        }
        return false
    }

    /// Opens the wallet only if that needs no dialog, for which KWallet itself is asked.
    ///
    /// The service reports a wallet as locked that was opened at login; its prompt then completes by itself.
    func openUnasked() throws(KeyringError) -> Bool {
        guard try service.program() == .kwallet, let collection = try writeCollection(),
            collection.isLocked, try service.isWalletOpen(collection.label)
        else { return false }
        let unlocked = try? calls.within(min(limits.unaskedMilliseconds, Int(calls.deadline.remaining))) {
            () throws(KeyringError) in try service.unlock([collection.path], prompting: .none)
        }
        return unlocked?.isEmpty == false
    }

    /// Unlocks without a prompt if possible, or else with one if prompts are allowed.
    ///
    /// - Returns: the paths that are unlocked now, at least one.
    /// - Throws: `.locked` if prompts are not allowed, `.dismissed` if a person closed the prompt.
    func unlock(_ paths: [String]) throws(KeyringError) -> [String] {
        if try openUnasked() {
            let unlocked = try service.unlock(paths, prompting: incidentalPrompting())
            if !unlocked.isEmpty { return unlocked }
        }
        guard try mayAsk() else { throw .locked }
        let unlocked = try service.unlock(paths, prompting: .announced(afterMilliseconds: 0))
        guard !unlocked.isEmpty else { throw .dismissed }
        return unlocked
    }

    package var mayPrompt: Bool { canPrompt || (isPersonHere && offeringProgram.asksInOwnWindow) }

    private func mayAsk() throws(KeyringError) -> Bool {
        calls.program = try service.program()
        return canPrompt || (calls.program.asksInOwnWindow && isPersonHere)
    }

    /// The prompting for calls that only some services answer with a prompt, which mostly completes by itself.
    func incidentalPrompting() throws(KeyringError) -> KeyringCalls.Prompting {
        try mayAsk() ? .announced(afterMilliseconds: 300) : .none
    }

    /// The locked collections that may hold credentials: if gnome-keyring's, which list locked items, have one for
    /// https.
    package var lockedCollections: [DisplayText] {
        let found = try? retryingBriefly { () throws(KeyringError) in try lockedWithCredentials() }
        return found?.map(\.name) ?? []
    }

    private func lockedWithCredentials() throws(KeyringError) -> [Collection] {
        let emptyMeansAbsent = try service.program() == .gnomeKeyring
        let https = [(name: ItemAttributes.Name.protocol, value: Array("https".utf8))]
        let items = emptyMeansAbsent ? try service.search(named: https).locked : []
        return try lockedCollections { path in !emptyMeansAbsent || items.contains { $0.hasPrefix(path + "/") } }
    }

    private func lockedCollections(where isMeant: (String) -> Bool) throws(KeyringError) -> [Collection] {
        var locked: [Collection] = []
        for path in try service.collectionPaths() where isMeant(path) {
            if let collection = try service.collection(at: path), collection.isLocked { locked.append(collection) }
        }
        return locked
    }

    /// The names of locked collections for an error; empty if everything is locked, or the program does not respond.
    package var namesOfLocked: [DisplayText] {
        let names = try? calls.within(limits.unaskedMilliseconds) { () throws(KeyringError) in
            try retryingBriefly { () throws(KeyringError) -> [DisplayText] in
                try hasOpenCollection() ? try lockedWithCredentials().map(\.name) : []
            }
        }
        return names ?? []
    }

    /// - Throws: `.noSuchCollection`, `.noCollection`, `.notReady`; `.locked` if KeePassXC lists none, which may mean
    ///   that its databases are locked.
    func collectionForNewItems() throws(KeyringError) -> Collection {
        if let found = try writeCollection() { return found }
        guard try service.program() != .keePassXC else { throw .locked }
        for path in try service.collectionPaths() where try service.collection(at: path) == nil { throw .notReady }
        throw configuredCollection.map { .noSuchCollection(DisplayText(untrusted: $0.utf8)) } ?? .noCollection
    }

    /// The configured collection, else the default one, else the first unlocked one (KeePassXC names no default until a
    /// person chooses one), else one that may hide items.
    func writeCollection() throws(KeyringError) -> Collection? {
        let wanted = configuredCollection ?? Self.defaultAlias
        let path = wanted.hasPrefix("/") ? wanted : try service.path(ofAlias: wanted)
        if let collection = try path.flatMap({ path throws(KeyringError) in try service.collection(at: path) }) {
            return collection
        }
        guard configuredCollection == nil else { return nil }
        let session = try service.path(ofAlias: Self.sessionAlias)
        var locked: Collection?
        for path in try service.collectionPaths() where path != session {
            guard let collection = try service.collection(at: path) else { continue }
            guard collection.isLocked else { return collection }
            locked = locked ?? collection
        }
        guard locked != nil else { return nil }
        return try service.program() == .gnomeKeyring ? nil : locked
    }

    package func createCollection() throws(KeyringError) {
        try retryingBriefly { () throws(KeyringError) in
            guard try mayAsk() else { throw .noCollection }
            // libsecret's label for a default collection.
            let path = try service.createCollection(label: "Default keyring", alias: Self.defaultAlias)
            guard path != nil else { throw .dismissed }
        }
    }

    private static let defaultAlias = "default"
    /// gnome-keyring's collection in memory, always open; a token stored there would be lost.
    static let sessionAlias = "session"

    /// Checks the bus, without calling a service.
    package func checkBus() throws(KeyringError) { _ = try calls.connectToBus() }

    /// The name of the service's program (letters, digits, `-`, `_` and `.`), or `nil`; may start the service.
    package func provider() throws(KeyringError) -> String? {
        try retryingBriefly { () throws(KeyringError) in try service.programName() }
    }

    /// The program, found by the bus alone, so even if it does not respond.
    package var offeringProgram: KeyringProgram {
        let program = try? calls.within(limits.unaskedMilliseconds) { () throws(KeyringError) in
            let bus = try calls.connectToBus()
            return try calls.program(of: "org.freedesktop.secrets", on: bus.opaque)
        }
        return program ?? .other(nil)
    }

    package func locked(_ selection: CollectionSelection) throws(KeyringError) -> [LockedCollection] {
        try retryingBriefly { () throws(KeyringError) in
            switch selection {
            case .forNewItems:
                let found = try collectionForNewItems()
                return found.isLocked ? [found.locked] : []
            case .holding(let items):
                return try lockedCollections { path in items.contains { $0.path.hasPrefix(path + "/") } }.map(\.locked)
            case .all:
                let own = try writeCollection()
                let others = try lockedWithCredentials().filter { $0.path != own?.path }
                return ([own].compactMap(\.self).filter(\.isLocked) + others).map(\.locked)
            }
        }
    }

    package func unlock(_ collection: LockedCollection) throws(KeyringError) {
        try retryingBriefly { () throws(KeyringError) in _ = try unlock([collection.path]) }
    }
}

/// Unlocks gnome-keyring with a password but without a prompt, as pam_gnome_keyring(8) does through its socket.
///
/// `gnome-keyring-daemon --unlock` has no effect if a daemon runs, and `--replace` ends that daemon with all its
/// sessions. The D-Bus interface used here is called unsupported; a keyring without it answers with an error.
extension LibsecretKeyring {
    package func unlock(_ collection: LockedCollection, with password: Secret) throws(KeyringError) -> Bool {
        try retryingBriefly { () throws(KeyringError) in
            do throws(KeyringError) {
                try service.unlockUnprompted(collection.path, with: password)
            } catch .other(let words) where words.hasPrefix("GDBus.Error:org.gnome.keyring.Error.Denied") {
                return false
            }
            return try service.collection(at: collection.path)?.isLocked == false
        }
    }

    /// The alias `default` then points to the new collection.
    package func createCollection(with password: Secret) throws(KeyringError) {
        try retryingBriefly { () throws(KeyringError) in
            // pam_gnome_keyring(8) opens the collection of this name with the password of a desktop login.
            let path = try service.createUnprompted(label: "login", with: password)
            try service.setAlias(Self.defaultAlias, to: path)
        }
    }
}

extension SecretServiceConnection.Collection {
    fileprivate var name: DisplayText { DisplayText(untrusted: label.utf8) }
    fileprivate var locked: LockedCollection { LockedCollection(path: path, name: label.isEmpty ? nil : name) }
}
