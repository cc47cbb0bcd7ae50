package import CredentialCore
internal import GLibSupport
internal import System

extension LibsecretKeyring {
    /// Throws unless a search opens no dialog; opens a wallet of KWallet if that needs no person.
    func prepareSearch(on service: SecretServiceConnection) throws(KeyringError) {
        guard try !isOpen(service) else { return }
        switch try service.program() {
        case .keePassXC: guard try hasOpenCollection(service) else { throw .locked }
        case .kwallet: _ = try openUnasked(on: service)
        case .gnomeKeyring, .other: break
        }
    }

    /// Whether the default collection is open; neither unlocks nor prompts.
    func isOpen(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        if service.isDefaultOpen { return true }
        service.isDefaultOpen = try service.collection(at: SecretServiceConnection.Name.defaultPath)?.isLocked == false
        return service.isDefaultOpen
    }

    /// Whether any collection but gnome-keyring's session collection is open.
    func hasOpenCollection(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        let session = try service.path(ofAlias: Self.sessionAlias)
        for path in try service.collectionPaths() where path != session {
            if try service.collection(at: path)?.isLocked == false { return true }
        }
        return false
    }

    /// Opens the wallet only if that needs no dialog, for which KWallet itself is asked.
    ///
    /// The service reports a wallet as locked that was opened at login; its prompt then completes by itself.
    func openUnasked(on service: SecretServiceConnection) throws(KeyringError) -> Bool {
        guard try service.program() == .kwallet, let collection = try writeCollection(of: service),
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
    func unlock(_ paths: [String], on service: SecretServiceConnection) throws(KeyringError) -> [String] {
        if try openUnasked(on: service) {
            let unlocked = try service.unlock(paths, prompting: incidentalPrompting(of: service))
            if !unlocked.isEmpty { return unlocked }
        }
        guard try mayAsk(service) else { throw .locked }
        let unlocked = try service.unlock(paths, prompting: .announced(afterMilliseconds: 0))
        guard !unlocked.isEmpty else { throw .dismissed }
        return unlocked
    }

    package var mayPrompt: Bool { canPrompt || (isPersonHere && offeringProgram.asksInOwnWindow) }

    func mayAsk(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        calls.program = try service.program()
        return canPrompt || (calls.program.asksInOwnWindow && isPersonHere)
    }

    /// The prompting for calls that only some services answer with a prompt, which mostly completes by itself.
    func incidentalPrompting(of service: SecretServiceConnection) throws(KeyringError) -> KeyringCalls.Prompting {
        try mayAsk(service) ? .announced(afterMilliseconds: 300) : .none
    }

    /// The locked collections that may hold credentials: if gnome-keyring's, which list locked items, have one for
    /// https.
    package var lockedCollections: [DisplayText] {
        let found = try? retryingBriefly { service throws(KeyringError) in try lockedWithCredentials(of: service) }
        return found?.map(\.name) ?? []
    }

    private func lockedWithCredentials(
        of service: SecretServiceConnection
    ) throws(KeyringError) -> [SecretServiceConnection.Collection] {
        let emptyMeansAbsent = try service.program() == .gnomeKeyring
        let https = [(name: ItemAttributes.Name.protocol, value: Array("https".utf8))]
        let items = emptyMeansAbsent ? try service.search(named: https).locked : []
        return try lockedCollections(of: service) { path in
            !emptyMeansAbsent || items.contains { $0.hasPrefix(path + "/") }
        }
    }

    private func lockedCollections(
        of service: SecretServiceConnection, where isMeant: (String) -> Bool
    ) throws(KeyringError) -> [SecretServiceConnection.Collection] {
        var locked: [SecretServiceConnection.Collection] = []
        for path in try service.collectionPaths() where isMeant(path) {
            if let collection = try service.collection(at: path), collection.isLocked { locked.append(collection) }
        }
        return locked
    }

    /// The names of locked collections for an error; empty if everything is locked, or the program does not respond.
    package var namesOfLocked: [DisplayText] {
        let names = try? calls.within(limits.unaskedMilliseconds) { () throws(KeyringError) in
            try retryingBriefly { service throws(KeyringError) -> [DisplayText] in
                try hasOpenCollection(service) ? try lockedWithCredentials(of: service).map(\.name) : []
            }
        }
        return names ?? []
    }

    /// - Throws: `.noSuchCollection`, `.noCollection`, `.notReady`; `.locked` if KeePassXC lists none, which may mean
    ///   that its databases are locked.
    func collectionForNewItems(
        of service: SecretServiceConnection
    ) throws(KeyringError) -> SecretServiceConnection.Collection {
        if let found = try writeCollection(of: service) { return found }
        guard try service.program() != .keePassXC else { throw .locked }
        guard try !listsMissing(service) else { throw .notReady }
        throw configuredCollection.map { .noSuchCollection(DisplayText(untrusted: $0.utf8)) } ?? .noCollection
    }

    private func listsMissing(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        for path in try service.collectionPaths() where try service.collection(at: path) == nil { return true }
        return false
    }

    /// The configured collection, else the default one, else the first unlocked one (KeePassXC names no default until a
    /// person chooses one), else one that may hide items.
    func writeCollection(
        of service: SecretServiceConnection
    ) throws(KeyringError) -> SecretServiceConnection.Collection? {
        let wanted = configuredCollection ?? Self.defaultAlias
        let path = wanted.hasPrefix("/") ? wanted : try service.path(ofAlias: wanted)
        if let collection = try path.flatMap({ path throws(KeyringError) in try service.collection(at: path) }) {
            return collection
        }
        guard configuredCollection == nil else { return nil }
        let session = try service.path(ofAlias: Self.sessionAlias)
        var locked: SecretServiceConnection.Collection?
        for path in try service.collectionPaths() where path != session {
            guard let collection = try service.collection(at: path) else { continue }
            guard collection.isLocked else { return collection }
            locked = locked ?? collection
        }
        guard locked != nil else { return nil }
        return try service.program() == .gnomeKeyring ? nil : locked
    }

    package func createCollection() throws(KeyringError) {
        try retryingBriefly { service throws(KeyringError) in
            guard try mayAsk(service) else { throw .noCollection }
            // libsecret's label for a default collection.
            let path = try service.createCollection(label: "Default keyring", alias: Self.defaultAlias)
            guard path != nil else { throw .dismissed }
        }
    }

    private static let defaultAlias = "default"
    /// gnome-keyring's collection in memory, always open; a token stored there would be lost.
    static let sessionAlias = "session"
}

/// Unlocks gnome-keyring with a password but without a prompt, as pam_gnome_keyring(8) does through its socket.
///
/// `gnome-keyring-daemon --unlock` has no effect if a daemon runs, and `--replace` ends that daemon with all its
/// sessions. The D-Bus interface used here is called unsupported; a keyring without it answers with an error.
extension LibsecretKeyring {
    package func unlock(_ collection: LockedCollection, with password: Secret) throws(KeyringError) -> Bool {
        try retryingBriefly { service throws(KeyringError) in
            do throws(KeyringError) {
                try service.unlockUnprompted(collection.path, with: password)
            } catch {
                guard error.isWrongPassword else { throw error }
                return false
            }
            return try service.collection(at: collection.path)?.isLocked == false
        }
    }

    /// The collection that pam_gnome_keyring(8) opens with the password of a desktop login.
    private static let loginLabel = "login"

    /// The alias `default` then points to the new collection.
    package func createCollection(with password: Secret) throws(KeyringError) {
        try retryingBriefly { service throws(KeyringError) in
            let path = try service.createUnprompted(label: Self.loginLabel, with: password)
            try service.setAlias("default", to: path)
        }
    }
}

extension KeyringError {
    fileprivate var isWrongPassword: Bool {
        guard case .other(let text) = self else { return false }
        return text.hasPrefix("GDBus.Error:org.gnome.keyring.Error.Denied")
    }
}

extension LibsecretKeyring {
    /// Checks the bus, without calling a service.
    package func checkBus() throws(KeyringError) { _ = try SecretServiceConnection.connectToBus(calls) }

    /// The name of the service's program (letters, digits, `-`, `_` and `.`), or `nil`; may start the service.
    package func provider() throws(KeyringError) -> String? {
        try retryingBriefly { service throws(KeyringError) in try service.programName() }
    }

    /// The program, found by the bus alone, so even if it does not respond.
    package var offeringProgram: KeyringProgram {
        let program = try? calls.within(limits.unaskedMilliseconds) { () throws(KeyringError) in
            try SecretServiceConnection.offeringProgram(calls)
        }
        return program ?? .other(nil)
    }

    package func locked(_ selection: CollectionSelection) throws(KeyringError) -> [LockedCollection] {
        try retryingBriefly { service throws(KeyringError) in
            switch selection {
            case .forNewItems:
                let found = try collectionForNewItems(of: service)
                return found.isLocked ? [found.locked] : []
            case .holding(let items):
                return try lockedCollections(of: service) { path in items.contains { $0.path.hasPrefix(path + "/") } }
                    .map(\.locked)
            case .all:
                let own = try writeCollection(of: service)
                let others = try lockedWithCredentials(of: service).filter { $0.path != own?.path }
                return ([own].compactMap(\.self).filter(\.isLocked) + others).map(\.locked)
            }
        }
    }

    package func unlock(_ collection: LockedCollection) throws(KeyringError) {
        try retryingBriefly { service throws(KeyringError) in _ = try unlock([collection.path], on: service) }
    }
}

extension SecretServiceConnection.Collection {
    fileprivate var name: DisplayText { DisplayText(untrusted: label.utf8) }

    fileprivate var locked: LockedCollection { LockedCollection(path: path, name: label.isEmpty ? nil : name) }
}
