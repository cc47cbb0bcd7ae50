internal import CLibsecret
package import CredentialCore
internal import GLibSupport

extension LibsecretKeyring {
    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        let found = try retryingBriefly { service throws(KeyringError) in try collectionForNewItems(of: service) }
        guard found.isLocked else { return }
        try retryingBriefly { service throws(KeyringError) in
            if mayPrompt {
                _ = try unlock([found.path], on: service)
            } else {
                guard try openUnasked(on: service) else { throw .locked }
            }
            let isLocked = try service.collection(at: found.path)?.isLocked ?? true
            guard !isLocked else { throw .locked }
        }
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

extension SecretServiceConnection {
    private static let door = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

    func unlockUnprompted(_ collection: String, with password: Secret) throws(KeyringError) {
        let secret = try encoded(password)
        var members: [OpaquePointer?] = [g_variant_new_object_path(collection), secret.pointer]
        _ = try callInternalInterface(
            "UnlockWithMasterPassword", Variant(taking: g_variant_ref_sink(g_variant_new_tuple(&members, 2))))
    }

    func createUnprompted(label: String, with password: Secret) throws(KeyringError) -> String {
        let secret = try encoded(password)
        let properties = Variant(.properties([(Name.collection + ".Label", .string(label))]))
        var members: [OpaquePointer?] = [properties.pointer, secret.pointer]
        let reply = try callInternalInterface(
            "CreateWithMasterPassword", Variant(taking: g_variant_ref_sink(g_variant_new_tuple(&members, 2))))
        guard let path = reply.onlyMember(ofTuple: "(o)")?.objectPath else { throw .other("no path") }
        return path
    }

    func setAlias(_ alias: String, to path: String) throws(KeyringError) {
        _ = try call(
            { secret_service_set_alias_to_dbus_path(service, alias, path, $0, $1, $2) },
            finish: { secret_service_set_alias_to_dbus_path_finish(service, $0, $1) })
    }

    /// In the service's format, encrypted for the session that libsecret has with it.
    private func encoded(_ password: Secret) throws(KeyringError) -> Variant {
        guard let value = SecretValueReference(password) else { throw .other("no memory for a secret") }
        _ = try call(
            { secret_service_ensure_session(service, $0, $1, $2) },
            finish: { secret_service_ensure_session_finish(service, $0, $1) })
        guard let encoded = secret_service_encode_dbus_secret(service, value.pointer) else {
            throw .other("no session for a secret")
        }
        return Variant(taking: g_variant_ref_sink(encoded))
    }

    private func callInternalInterface(_ method: String, _ arguments: borrowing Variant) throws(KeyringError) -> Variant
    {
        let pointer = arguments.pointer
        let reply = try call(
            {
                g_dbus_connection_call(
                    bus, ownerName, Name.servicePath, Self.door, method, pointer, nil,
                    gitspace_call_no_auto_start, -1, $0, $1, $2)
            }, finish: { g_dbus_connection_call_finish(bus, $0, $1) })
        guard let reply else { throw .other("no answer") }
        return Variant(taking: reply)
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
