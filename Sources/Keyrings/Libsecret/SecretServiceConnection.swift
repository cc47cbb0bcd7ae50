internal import CLibsecret
internal import CredentialCore
internal import GLibSupport

/// A connection to the keyring's daemon, unusable once the daemon ends.
///
/// Uses libsecret's calls that take object paths. Its search for whole items hides why a secret could not be loaded,
/// makes five calls for each item, and uses a freed path if an item is named twice. Its store opens prompts.
final class SecretServiceConnection {
    let calls: KeyringCalls
    private let busReference: ObjectReference
    private let serviceReference: ObjectReference
    private let owner: String
    /// `nil` before the first lookup.
    private var knownProgram: KeyringProgram?
    var isDefaultOpen = false

    /// Connects, and reads the daemon's properties.
    ///
    /// libsecret's first message is `GetAll`, answered before anything else is sent: a client that begins with
    /// `OpenSession` can abort gnome-keyring-daemon.
    ///
    /// - Throws: `.noBus`, `.foreignBus`, `.noProvider`, `.unresponsive`, `.interrupted`.
    init(calls: KeyringCalls) throws(KeyringError) {
        SessionError.register()
        self.calls = calls
        busReference = try calls.connectToBus()
        var service = try Self.openService(calls)
        // If the daemon ended during the first call, the bus starts another one at the second.
        if Self.owner(of: service) == nil { service = try Self.openService(calls) }
        guard let owner = Self.owner(of: service) else { throw .noProvider }
        serviceReference = service
        self.owner = owner
    }

    private static func openService(_ calls: KeyringCalls) throws(KeyringError) -> ObjectReference {
        let result = try calls.run { secret_service_open(PromptingService.type, nil, SECRET_SERVICE_NONE, $0, $1, $2) }
        do throws(KeyringError) {
            let service = try KeyringError.checked { secret_service_open_finish(result.opaque, $0) }
            guard let service else { throw .noProvider }
            return ObjectReference(taking: UnsafeMutableRawPointer(service))
        } catch .disconnected {
            // This call is the first, so the bus itself is gone. GIO keeps its closed connection while a reference is
            // left.
            throw .noBus
        }
    }

    /// `nil` if there is none.
    private static func owner(of service: borrowing ObjectReference) -> String? {
        CStrings.take(g_dbus_proxy_get_name_owner(service.as(GDBusProxy.self)))
    }

    var service: UnsafeMutablePointer<SecretService> { serviceReference.as(SecretService.self) }

    /// - Throws: the call's error; `.disconnected` if the daemon has ended meanwhile.
    func call<Value>(
        prompting: KeyringCalls.Prompting = .none,
        _ start: (UnsafeMutablePointer<GCancellable>, @escaping GAsyncReadyCallback, gpointer) -> Void,
        finish: (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Value
    ) throws(KeyringError) -> Value {
        let result = try calls.run(watching: service, prompting: prompting, start)
        do {
            return try KeyringError.checked { finish(result.opaque, $0) }
        } catch {
            throw isAlive ? error : .disconnected
        }
    }

    /// Whether the name still has its owner; a new owner does not know our session.
    private var isAlive: Bool {
        g_dbus_connection_is_closed(busReference.opaque) == 0 && Self.owner(of: serviceReference) == owner
    }

    /// Opens a session before the first secret; does nothing if it is open.
    ///
    /// One session in 256 fails because libsecret drops leading zeros of its public key, and KWallet refuses a short
    /// key; another one fails at the first secret, because KWallet drops those of the shared secret.
    ///
    /// - Throws: `.noSession` if it was refused; `.noPlugin` if every session would be refused.
    func openSession() throws(KeyringError) {
        do throws(KeyringError) {
            _ = try call(
                { secret_service_ensure_session(service, $0, $1, $2) },
                finish: { secret_service_ensure_session_finish(service, $0, $1) })
        } catch .other(let words) {
            throw words.contains("libqca-ossl") ? .noPlugin : .noSession
        }
    }

    /// - Throws: `.noSuchObject` if there is no such object.
    func properties(of path: String, interface: String) throws(KeyringError) -> Variant {
        let reply = try call(
            "GetAll", of: "org.freedesktop.DBus.Properties", at: path, Variant(.tuple([.string(interface)])))
        guard let properties = reply?.onlyMember(ofTuple: "(a{sv})") else { throw .other("no properties") }
        return properties
    }

    /// Calls a method of the daemon.
    ///
    /// - Throws: `.noSuchObject` if there is no such object.
    private func call(
        _ method: String, of interface: String, at path: String, _ arguments: borrowing Variant
    ) throws(KeyringError) -> Variant? {
        let (bus, pointer) = (busReference.opaque, arguments.pointer)
        return try call(
            {
                g_dbus_connection_call(
                    bus, owner, path, interface, method, pointer, nil, gitspace_call_no_auto_start, -1, $0, $1, $2)
            }, finish: { g_dbus_connection_call_finish(bus, $0, $1) }
        ).map { Variant(taking: $0) }
    }

    enum Name {
        static let service = "org.freedesktop.Secret.Service"
        static let collection = "org.freedesktop.Secret.Collection"
        static let item = "org.freedesktop.Secret.Item"
        static let defaultPath = "/org/freedesktop/secrets/aliases/default"
        static let servicePath = "/org/freedesktop/secrets"
        static let noPath = "/"
    }

    /// The keyring's program, found by the bus alone, so even if it hangs.
    func program() throws(KeyringError) -> KeyringProgram {
        if let knownProgram { return knownProgram }
        let program = try calls.program(of: owner, on: busReference.opaque)
        knownProgram = program
        return program
    }

    /// `nil` if unknown, or if the name has other signs than letters, digits, `-`, `_` and `.`.
    func programName() throws(KeyringError) -> String? { try calls.programName(of: owner, on: busReference.opaque) }

    struct Collection {
        let path: String
        let label: String
        let isLocked: Bool
    }

    /// `nil` if no collection is at `path`: an alias of gnome-keyring may point to a missing one.
    func collection(at path: String) throws(KeyringError) -> Collection? {
        guard g_variant_is_object_path(path) != 0, path != Name.noPath else { return nil }
        do {
            let properties = try properties(of: path, interface: Name.collection)
            return Collection(
                path: path, label: properties["Label"]?.string ?? "", isLocked: properties["Locked"]?.boolean ?? true)
        } catch .noSuchObject {
            return nil
        }
    }

    /// `nil` if the alias points to none.
    func path(ofAlias alias: String) throws(KeyringError) -> String? {
        CStrings.take(
            try call(
                { secret_service_read_alias_dbus_path(service, alias, $0, $1, $2) },
                finish: { secret_service_read_alias_dbus_path_finish(service, $0, $1) }))
    }

    func collectionPaths() throws(KeyringError) -> [String] {
        try properties(of: Name.servicePath, interface: Name.service)["Collections"]?.objectPaths ?? []
    }

    /// Creates a collection by the service's own prompt for a password; `nil` if the prompt was closed.
    func createCollection(label: String, alias: String) throws(KeyringError) -> String? {
        let properties = StringTable(properties: [(Name.collection + ".Label", .string(label))])
        let path = try call(
            prompting: .announced(afterMilliseconds: 0),
            {
                secret_service_create_collection_dbus_path(
                    service, properties.pointer, alias, SECRET_COLLECTION_CREATE_NONE, $0, $1, $2)
            }, finish: { secret_service_create_collection_dbus_path_finish(service, $0, $1) })
        return CStrings.take(path).flatMap { $0 == Name.noPath ? nil : $0 }
    }

    /// Asks KWallet itself, since the service reports a wallet as locked unless it was opened over the service.
    func isWalletOpen(_ name: String) throws(KeyringError) -> Bool {
        // The paths of Plasma 5 and 6; one process owns all of their bus names.
        for path in ["/modules/kwalletd5", "/modules/kwalletd6", "/ksecretd"] {
            do throws(KeyringError) {
                let reply = try call("isOpen", of: "org.kde.KWallet", at: path, Variant(.tuple([.string(name)])))
                return reply?.onlyMember(ofTuple: "(b)")?.boolean ?? false
            } catch .noSuchObject {
                continue
            }
        }
        return false
    }

    private static let door = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

    func unlockUnprompted(_ collection: String, with password: Secret) throws(KeyringError) {
        _ = try callInternalInterface("UnlockWithMasterPassword", .objectPath(collection), password)
    }

    func createUnprompted(label: String, with password: Secret) throws(KeyringError) -> String {
        let reply = try callInternalInterface(
            "CreateWithMasterPassword", .properties([(Name.collection + ".Label", .string(label))]), password)
        guard let path = reply.onlyMember(ofTuple: "(o)")?.objectPath else { throw .other("no path") }
        return path
    }

    func setAlias(_ alias: String, to path: String) throws(KeyringError) {
        _ = try call(
            { secret_service_set_alias_to_dbus_path(service, alias, path, $0, $1, $2) },
            finish: { secret_service_set_alias_to_dbus_path_finish(service, $0, $1) })
    }

    /// The password is sent in the service's format, encrypted for libsecret's session.
    private func callInternalInterface(
        _ method: String, _ argument: VariantValue, _ password: Secret
    ) throws(KeyringError) -> Variant {
        let encoded: OpaquePointer?
        // The copy of the password ends before the call.
        do {
            guard let value = SecretValueReference(password) else { throw .other("no memory for a secret") }
            try openSession()
            encoded = secret_service_encode_dbus_secret(service, value.pointer)
        }
        guard let encoded else { throw .other("no session for a secret") }
        let first = Variant(argument)
        let secret = Variant(taking: g_variant_ref_sink(encoded))
        var members: [OpaquePointer?] = [first.pointer, secret.pointer]
        let arguments = Variant(taking: g_variant_ref_sink(g_variant_new_tuple(&members, 2)))
        guard let reply = try call(method, of: Self.door, at: Name.servicePath, arguments) else {
            throw .other("no answer")
        }
        return reply
    }
}
