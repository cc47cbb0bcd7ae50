internal import CLibsecret
package import CredentialCore
internal import GLibSupport

/// Unlocks gnome-keyring with a password but without a prompt, as pam_gnome_keyring(8) does through its socket.
///
/// `gnome-keyring-daemon --unlock` unlocks nothing where a daemon already runs; with `--replace` it ends that daemon,
/// and the sessions of all other programs with it. The D-Bus interface used here opens the collection in the running
/// daemon. Its name calls it unsupported; a keyring without it answers with an error.
extension LibsecretKeyring {
    /// Opens the collection that new items go to.
    ///
    /// - Returns: whether it is open now; false for a wrong password.
    package func unlockCollection(with password: Secret) throws(KeyringError) -> Bool {
        try retryingOnce { service throws(CallFailure) in
            guard let collection = try writeCollection(of: service) else { throw .noCollection }
            do throws(CallFailure) {
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

    /// Creates a collection and points the alias `default` to it.
    package func createCollection(with password: Secret) throws(KeyringError) {
        try retryingOnce { service throws(CallFailure) in
            let path = try service.createUnprompted(label: Self.loginLabel, with: password)
            try service.setAlias("default", to: path)
        }
    }
}

extension CallFailure {
    fileprivate var isWrongPassword: Bool {
        guard case .other(let text) = self else { return false }
        return text.hasPrefix("GDBus.Error:org.gnome.keyring.Error.Denied")
    }
}

extension SecretServiceConnection {
    private static let door = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

    func unlockUnprompted(_ collection: String, with password: Secret) throws(CallFailure) {
        let secret = try encoded(password)
        var members: [OpaquePointer?] = [g_variant_new_object_path(collection), secret.pointer]
        _ = try callDoor(
            "UnlockWithMasterPassword", Variant(taking: g_variant_ref_sink(g_variant_new_tuple(&members, 2))))
    }

    /// - Returns: the new collection's path.
    func createUnprompted(label: String, with password: Secret) throws(CallFailure) -> String {
        let secret = try encoded(password)
        let properties = Variant(.properties([(Name.collection + ".Label", .string(label))]))
        var members: [OpaquePointer?] = [properties.pointer, secret.pointer]
        let reply = try callDoor(
            "CreateWithMasterPassword", Variant(taking: g_variant_ref_sink(g_variant_new_tuple(&members, 2))))
        guard let path = reply.onlyMember(ofTuple: "(o)")?.objectPath else { throw .other("no path") }
        return path
    }

    /// Points an alias to a collection.
    func setAlias(_ alias: String, to path: String) throws(CallFailure) {
        _ = try call(
            { secret_service_set_alias_to_dbus_path(service, alias, path, $0, $1, $2) },
            finish: { secret_service_set_alias_to_dbus_path_finish(service, $0, $1) })
    }

    /// A secret in the service's format, encrypted for the session that libsecret has with it.
    private func encoded(_ password: Secret) throws(CallFailure) -> Variant {
        guard let value = SecretValueReference(password) else { throw .other("no memory for a secret") }
        _ = try call(
            { secret_service_ensure_session(service, $0, $1, $2) },
            finish: { secret_service_ensure_session_finish(service, $0, $1) })
        guard let encoded = secret_service_encode_dbus_secret(service, value.pointer) else {
            throw .other("no session for a secret")
        }
        return Variant(taking: g_variant_ref_sink(encoded))
    }

    private func callDoor(_ method: String, _ arguments: borrowing Variant) throws(CallFailure) -> Variant {
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
