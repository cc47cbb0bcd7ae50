internal import CLibsecret
package import CredentialCore
internal import GLibSupport

extension LibsecretKeyring {
    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        let found = try retryingOnce { service throws(KeyringError) in try writeCollection(of: service) }
        guard let found else {
            return try retryingOnce { service throws(KeyringError) in
                // KeePassXC shows no collection as long as no database is open; that does not mean that it has none.
                guard try service.program() != .keePassXC else { throw .locked }
                guard configuredCollection == nil, mayPrompt, canPrompt else { throw .noCollection }
                try createDefaultCollection(of: service)
            }
        }
        guard found.isLocked else { return }
        try retryingOnce { service throws(KeyringError) in
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
        let names = try? retryingOnce { service throws(KeyringError) in
            let isTelling = try service.program() == .gnomeKeyring
            let https = [(name: ItemAttributes.Name.protocol, value: Array("https".utf8))]
            let items = isTelling ? try service.search(named: https).locked : []
            var names: [DisplayText] = []
            for path in try service.collectionPaths()
            where !isTelling || items.contains(where: { $0.hasPrefix(path + "/") }) {
                if let collection = try service.collection(at: path), collection.isLocked {
                    names.append(DisplayText(untrusted: collection.label.utf8))
                }
            }
            return names
        }
        return names ?? []
    }

    /// The one that is configured, else the default one, else (KeePassXC names no default until a person chooses one)
    /// the first that is unlocked; nil if there is none.
    func writeCollection(
        of service: SecretServiceConnection
    ) throws(KeyringError) -> SecretServiceConnection.Collection? {
        let wanted = configuredCollection ?? Self.defaultAlias
        let path = wanted.hasPrefix("/") ? wanted : try service.path(ofAlias: wanted)
        if let collection = try path.flatMap({ path throws(KeyringError) in try service.collection(at: path) }) {
            return collection
        }
        guard configuredCollection == nil else { return nil }
        // gnome-keyring keeps "session" in memory only: a token stored there would be lost.
        let session = try service.path(ofAlias: "session")
        for path in try service.collectionPaths() where path != session {
            if let collection = try service.collection(at: path), !collection.isLocked { return collection }
        }
        return nil
    }

    private func createDefaultCollection(of service: SecretServiceConnection) throws(KeyringError) {
        // The label that libsecret gives to a default collection.
        let path = try service.createCollection(label: "Default keyring", alias: Self.defaultAlias)
        guard path != nil else { throw .dismissed }
    }

    private static let defaultAlias = "default"
}

/// Unlocks gnome-keyring with a password but without a prompt, as pam_gnome_keyring(8) does through its socket.
///
/// `gnome-keyring-daemon --unlock` unlocks nothing where a daemon already runs; with `--replace` it ends that daemon,
/// and the sessions of all other programs with it. The D-Bus interface used here opens the collection in the running
/// daemon. Its name calls it unsupported; a keyring without it answers with an error.
extension LibsecretKeyring {
    /// For new items; false for a wrong password.
    package func unlockCollection(with password: Secret) throws(KeyringError) -> Bool {
        try retryingOnce { service throws(KeyringError) in
            guard let collection = try writeCollection(of: service) else { throw .noCollection }
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
        try retryingOnce { service throws(KeyringError) in
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
                    G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, $0, $1, $2)
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
        try retryingOnce { service throws(KeyringError) in try service.programName() }
    }

    /// Even if the program does not respond: only the bus is queried.
    package var offeringProgram: KeyringProgram {
        let usualBudget = calls.budget
        calls.budget = TimeBudget(milliseconds: limits.unaskedMilliseconds)
        defer { calls.budget = usualBudget }
        return (try? SecretServiceConnection.offeringProgram(calls)) ?? .other(nil)
    }

    /// Of that for new items.
    package var collectionLabel: DisplayText? {
        do {
            let found = try retryingOnce { service throws(KeyringError) in try writeCollection(of: service) }
            return found.flatMap { $0.label.isEmpty ? nil : DisplayText(untrusted: $0.label.utf8) }
        } catch {
            return nil
        }
    }

    /// For new items.
    ///
    /// - Throws: `.noCollection` if there is none.
    package func isCollectionLocked() throws(KeyringError) -> Bool {
        let found = try retryingOnce { service throws(KeyringError) in try writeCollection(of: service) }
        guard let found else { throw .noCollection }
        return found.isLocked
    }
}
