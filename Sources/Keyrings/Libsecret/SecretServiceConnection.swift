internal import CLibsecret
internal import CredentialCore
internal import GLibSupport
internal import System

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
    var knownProgram: KeyringProgram?
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
    func call(
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
}

/// The bus itself, asked without the keyring.
extension KeyringCalls {
    /// Connects to the bus; GIO shares the connection with libsecret while we hold it, so secrets travel on it.
    func connectToBus() throws(KeyringError) -> ObjectReference {
        if let refusal = GLibProcess.bus.refusal { throw .foreignBus(refusal) }
        guard let address = GLibProcess.sessionBus else { throw .noBus }
        // Another user's bus refuses us, or does not answer.
        let bus = try rethrowing(as: { address.refusal.map(KeyringError.foreignBus) ?? $0 }, try sharedConnection())
        if let refusal = GLibProcess.refusal(of: bus.opaque) { throw .foreignBus(refusal) }
        return bus
    }

    private func sharedConnection() throws(KeyringError) -> ObjectReference {
        let result = try run { g_bus_get(G_BUS_TYPE_SESSION, $0, $1, $2) }
        // Without a socket, or refused: no bus is usable.
        guard let bus = g_bus_get_finish(result.opaque, nil) else { throw .noBus }
        // GIO would end the process with SIGTERM when the bus goes away.
        g_dbus_connection_set_exit_on_close(bus, 0)
        return ObjectReference(taking: UnsafeMutableRawPointer(bus))
    }

    private func ask(_ bus: OpaquePointer, _ method: String, _ name: String) throws(KeyringError) -> Variant? {
        let service = "org.freedesktop.DBus"
        let arguments = Variant(.tuple([.string(name)]))
        let pointer = arguments.pointer
        let result = try run {
            g_dbus_connection_call(
                bus, service, "/org/freedesktop/DBus", service, method, pointer, nil, gitspace_call_none, -1, $0, $1, $2
            )
        }
        let reply = try KeyringError.checked { g_dbus_connection_call_finish(bus, result.opaque, $0) }
        return reply.map { Variant(taking: $0) }
    }

    func program(of owner: String, on bus: OpaquePointer) throws(KeyringError) -> KeyringProgram {
        let program = KeyringProgram(try programName(of: owner, on: bus))
        // In a sandbox (Flatpak), only the program's proxy is visible, whose other bus names identify the program.
        guard case .other = program, let window = try holder(of: "org.keepassxc.KeePassXC.MainWindow", on: bus),
            try holder(of: owner, on: bus) == window
        else { return program }
        return .keePassXC
    }

    private func holder(of name: String, on bus: OpaquePointer) throws(KeyringError) -> String? {
        do throws(KeyringError) {
            return try ask(bus, "GetNameOwner", name)?.onlyMember(ofTuple: "(s)")?.string
        } catch .noProvider {
            return nil
        }
    }

    func programName(of owner: String, on bus: OpaquePointer) throws(KeyringError) -> String? {
        try ask(bus, "GetConnectionUnixProcessID", owner)?.onlyMember(ofTuple: "(u)")?.uint32.flatMap(Self.programName)
    }

    /// The program of a process, from its arguments (proc(5)): `comm` is cut to 15 bytes.
    private static func programName(_ process: UInt32) -> String? {
        guard let program = ProcessEntry.arguments(of: Int32(clamping: process))?.first else { return nil }
        let name = program.split(separator: UInt8(ascii: "/")).last ?? []
        let isPlain = ASCII.isPlain(name, with: "-_.") && (1...64).contains(name.count)
        return isPlain ? String(decoding: name, as: UTF8.self) : nil
    }
}
