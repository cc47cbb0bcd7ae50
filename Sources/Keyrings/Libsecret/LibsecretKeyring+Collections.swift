package import CredentialCore
internal import GLibSupport
internal import System

extension LibsecretKeyring {
    /// No search may open a dialog.
    func prepareSearch(on service: SecretServiceConnection) throws(KeyringError) {
        guard try !isOpen(service) else { return }
        switch try service.program() {
        case .keePassXC: guard try hasOpenCollection(service) else { throw .locked }
        case .kwallet: _ = try openUnasked(on: service)
        case .gnomeKeyring, .other: break
        }
    }

    /// Whether the default one is; neither unlocks nor prompts.
    func isOpen(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        if service.isDefaultOpen { return true }
        service.isDefaultOpen =
            try service.collection(at: SecretServiceConnection.Name.defaultPath)?.isLocked == false
        return service.isDefaultOpen
    }

    /// Any at all, besides gnome-keyring's own.
    func hasOpenCollection(_ service: SecretServiceConnection) throws(KeyringError) -> Bool {
        let session = try service.path(ofAlias: Self.sessionAlias)
        for path in try service.collectionPaths() where path != session {
            if try service.collection(at: path)?.isLocked == false { return true }
        }
        return false
    }

    /// Only if that needs no dialog.
    ///
    /// KWallet reports a wallet as locked even if it was opened at login or by another program. Its prompt then
    /// completes by itself; otherwise it would be a dialog. So KWallet is first asked whether the wallet is open.
    func openUnasked(on service: SecretServiceConnection) throws(KeyringError) -> Bool {
        guard try service.program() == .kwallet, let collection = try writeCollection(of: service),
            collection.isLocked, try service.isWalletOpen(collection.label)
        else { return false }
        let usual = calls.deadline
        calls.deadline = calls.deadline(in: min(limits.unaskedMilliseconds, Int(usual.remaining)))
        defer { calls.deadline = usual }
        return (try? service.unlock([collection.path], prompting: .none))?.isEmpty == false
    }

    /// Without a person where possible, otherwise with a prompt if prompts are allowed.
    ///
    /// - Returns: the paths that are unlocked now; at least one.
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

    /// For calls to which only some services respond with a prompt, which mostly completes by itself.
    func incidentalPrompting(of service: SecretServiceConnection) throws(KeyringError) -> KeyringCalls.Prompting {
        try mayAsk(service) ? .announced(afterMilliseconds: 300) : .none
    }

    /// gnome-keyring also lists locked items, so its collections are included only if they have an item for https.
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

    /// Of locked ones, for the words of an error; none if everything is locked, or the program does not respond.
    package var namesOfLocked: [DisplayText] {
        let usual = calls.deadline
        calls.deadline = calls.deadline(in: limits.unaskedMilliseconds)
        defer { calls.deadline = usual }
        let names = try? retryingBriefly { service throws(KeyringError) -> [DisplayText] in
            guard try hasOpenCollection(service) else { return [] }
            return try lockedWithCredentials(of: service).map(\.name)
        }
        return names ?? []
    }

    /// - Throws: `.noSuchCollection`, `.noCollection`, `.notReady`; `.locked` if KeePassXC shows none, as long as no database is open:
    ///   that does not mean that it has none.
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

    /// The one that is configured, else the default one, else (KeePassXC names no default until a person chooses one)
    /// the first that is unlocked, else one that may hide items; nil if there is none.
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
            // The label that libsecret gives to a default collection.
            let path = try service.createCollection(label: "Default keyring", alias: Self.defaultAlias)
            guard path != nil else { throw .dismissed }
        }
    }

    private static let defaultAlias = "default"
    /// gnome-keyring's collection in memory, which is always open: a token stored there would be lost.
    static let sessionAlias = "session"
}

/// Unlocks gnome-keyring with a password but without a prompt, as pam_gnome_keyring(8) does through its socket.
///
/// `gnome-keyring-daemon --unlock` unlocks nothing where a daemon already runs; with `--replace` it ends that daemon,
/// and the sessions of all other programs with it. The D-Bus interface used here opens the collection in the running
/// daemon. Its name calls it unsupported; a keyring without it answers with an error.
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

    /// pam_gnome_keyring(8) opens the collection of this name if a person logs in to a desktop with its password.
    private static let loginLabel = "login"

    /// The alias `default` then points to it.
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

/// Step by step, without unlocking or changing anything.
extension LibsecretKeyring {
    /// To no service on the bus.
    package func checkBus() throws(KeyringError) {
        _ = try SecretServiceConnection.connectToBus(calls)
    }

    /// The bus starts the service if it knows how.
    ///
    /// The name consists of letters, digits, `-`, `_` and `.` only; nil if unknown.
    package func provider() throws(KeyringError) -> String? {
        try retryingBriefly { service throws(KeyringError) in try service.programName() }
    }

    /// Even if the program does not respond: only the bus is queried.
    package var offeringProgram: KeyringProgram {
        let usual = calls.deadline
        calls.deadline = calls.deadline(in: limits.unaskedMilliseconds)
        defer { calls.deadline = usual }
        return (try? SecretServiceConnection.offeringProgram(calls)) ?? .other(nil)
    }

    package func locked(_ selection: CollectionSelection) throws(KeyringError) -> [LockedCollection] {
        try retryingBriefly { service throws(KeyringError) in
            switch selection {
            case .forNewItems:
                let found = try collectionForNewItems(of: service)
                return found.isLocked ? [found.locked] : []
            case .holding(let items):
                return try lockedCollections(of: service) { path in
                    items.contains { $0.path.hasPrefix(path + "/") }
                }.map(\.locked)
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
