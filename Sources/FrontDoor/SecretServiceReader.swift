package import CredentialCore
package import System

/// ③ Reads items from the Secret Service in three or four rounds of calls; never unlocks, prompts or writes.
///
/// The order of the calls matters: a client whose first message is `OpenSession` may abort gnome-keyring's daemon by a
/// race. So the first call is one that the daemon's main thread answers for any client, and nothing is sent before that
/// answer.
///
/// KeePassXC opens a dialog at a search while all its databases are locked (`UnlockBeforeSearch`, its default), so a
/// collection must be open before a search.
///
/// The session is `plain`: the secret crosses the person's own bus unencrypted. A process that can watch that bus can
/// also query the keyring, and a Diffie-Hellman exchange would double the time (SECURITY.md).
package enum SecretServiceReader {
    private static let itemInterface: StaticString = "org.freedesktop.Secret.Item"
    static let servicePath = Array("/org/freedesktop/secrets".utf8)
    /// gnome-keyring's collection in memory, which is always open; other services have none.
    private static let sessionCollection = Array("/org/freedesktop/secrets/collection/session".utf8)
    private static let defaultCollection = Array("/org/freedesktop/secrets/aliases/default".utf8)

    /// The most items; reading more would be slow.
    private static let mostItems = 16
    private static let mostAttributeBytes = 8_192

    /// The unlocked items with at least these attributes.
    package static func items(
        having attributes: ItemAttributes, on address: SessionBusAddress.Socket, by deadline: Deadline
    ) throws(FallbackReason) -> [Item] {
        var bus: BusConnection
        do throws(Errno) {
            bus = try BusConnection.opened(to: address, by: deadline)
        } catch {
            throw UnixSocket.isGone(error) ? .noBus : .connection
        }
        if let stranger = bus.stranger { throw .foreignBus(.user(stranger)) }
        defer { bus.wipe() }
        try bus.authenticate()
        let collections = try greet(&bus)
        if !collections.contains(sessionCollection) { try checkUnlocked(&bus) }
        let (session, paths) = try search(attributes, &bus)
        guard !paths.isEmpty else { return [] }
        return try read(paths, session, &bus)
    }

    /// Registers on the bus, and returns the paths of all collections.
    private static func greet(_ bus: inout BusConnection) throws(FallbackReason) -> [[UInt8]] {
        let hello = MethodCall(
            "Hello", of: "org.freedesktop.DBus", at: Array("/org/freedesktop/DBus".utf8), on: "org.freedesktop.DBus")
        let collections = property("Collections", of: "org.freedesktop.Secret.Service", at: servicePath)
        let serials = try bus.send([hello, collections])
        return try bus.reply(to: serials[1]).arguments("v") { reader throws(FallbackReason) in
            guard try reader.signature().elementsEqual("ao".utf8) else { throw .oddMessage }
            return (try paths(&reader), [[UInt8]]())
        }.0
    }

    /// Throws unless the default collection is open.
    private static func checkUnlocked(_ bus: inout BusConnection) throws(FallbackReason) {
        let locked = property("Locked", of: "org.freedesktop.Secret.Collection", at: defaultCollection)
        let serials = try bus.send([locked])
        // The variant of false, compared as a whole, since each reading function adds to the program's size.
        let open: [UInt8] = [1, UInt8(ascii: "b"), 0, 0, 0, 0, 0, 0]
        guard try bus.reply(to: serials[0]).body.elementsEqual(open) else { throw .locked }
    }

    private static func search(
        _ attributes: ItemAttributes, _ bus: inout BusConnection
    ) throws(FallbackReason) -> (session: [UInt8], paths: [[UInt8]]) {
        let named = attributes.named
        let size = named.reduce(0) { $0 + $1.value.count }
        // D-Bus carries only UTF-8 without NUL, so no keyring has other attributes.
        let isText = named.allSatisfy { String(validating: $0.value, as: UTF8.self) != nil && !$0.value.contains(0) }
        guard size <= mostAttributeBytes, isText else { throw .ambiguous }
        let openSession = MethodCall("OpenSession", signature: "sv") { arguments in
            arguments.string("plain".utf8)
            arguments.signature("s")
            arguments.string("".utf8)
        }
        let searchItems = MethodCall("SearchItems", signature: "a{ss}") { arguments in
            arguments.array(alignedTo: 8) { entries in
                for (name, value) in named {
                    entries.align(to: 8)
                    entries.string(name.utf8)
                    entries.string(value)
                }
            }
        }
        let serials = try bus.send([openSession, searchItems])
        let session = try bus.reply(to: serials[0]).arguments("vo") { reader throws(FallbackReason) in
            // KWallet's variant has an array of bytes instead of the specification's string.
            try reader.skipVariant()
            return Array(try reader.string())
        }
        let (unlocked, locked) = try bus.reply(to: serials[1]).arguments("aoao") { reader throws(FallbackReason) in
            (try paths(&reader), try paths(&reader))
        }
        guard locked.isEmpty else { throw .locked }
        guard unlocked.count <= mostItems else { throw .ambiguous }
        return (session, unlocked)
    }

    private static func paths(_ reader: inout Unmarshaller) throws(FallbackReason) -> [[UInt8]] {
        var paths: [[UInt8]] = []
        try reader.array(alignedTo: 4) { element throws(FallbackReason) in paths.append(Array(try element.string())) }
        return paths
    }

    private static func read(
        _ paths: [[UInt8]], _ session: [UInt8], _ bus: inout BusConnection
    ) throws(FallbackReason) -> [Item] {
        let getSecrets = MethodCall("GetSecrets", signature: "aoo") { arguments in
            arguments.array(alignedTo: 4) { elements in paths.forEach { elements.string($0) } }
            arguments.string(session)
        }
        let attributes = paths.map { property("Attributes", of: itemInterface, at: $0) }
        // The times of creation decide only between several items.
        let created = paths.count == 1 ? [] : paths.map { property("Created", of: itemInterface, at: $0) }
        let serials = try bus.send([getSecrets] + attributes + created)
        let secrets = try bus.reply(to: serials[0]).arguments("a{o(oayays)}", Self.secrets)
        var items: [Item] = []
        // Uses an index: `zip` makes the runtime search all conformances, an eighth of this program's instructions.
        for (index, path) in paths.enumerated() {
            let named = try bus.reply(to: serials[index + 1]).arguments("v", Self.attributes)
            // The item was removed meanwhile, or its secret needs a prompt.
            guard let secret = secrets.first(where: { $0.path == path })?.secret else { throw .ambiguous }
            items.append(
                Item(
                    path: String(decoding: path, as: UTF8.self), attributes: ItemAttributes(named: named),
                    schemaName: Schema.name(among: named), secret: secret))
        }
        for index in created.indices {
            items[index].created = try bus.reply(to: serials[paths.count + index + 1]).arguments("v", time)
        }
        return items
    }

    private static func secrets(
        _ reader: inout Unmarshaller
    ) throws(FallbackReason) -> [(path: [UInt8], secret: Secret)] {
        var secrets: [(path: [UInt8], secret: Secret)] = []
        try reader.array(alignedTo: 8) { entry throws(FallbackReason) in
            try entry.align(to: 8)
            let path = Array(try entry.string())
            try entry.align(to: 8)
            _ = try entry.string()
            _ = try entry.byteArray()
            let value = try entry.byteArray()
            _ = try entry.string()
            secrets.append((path, value.withUnsafeBytes(Secret.init(copying:))))
        }
        return secrets
    }

    private static func attributes(
        _ reader: inout Unmarshaller
    ) throws(FallbackReason) -> [(name: String, value: [UInt8])] {
        guard try reader.signature().elementsEqual("a{ss}".utf8) else { throw .oddMessage }
        var named: [(name: String, value: [UInt8])] = []
        try reader.array(alignedTo: 8) { entry throws(FallbackReason) in
            try entry.align(to: 8)
            let name = String(decoding: try entry.string(), as: UTF8.self)
            named.append((name, Array(try entry.string())))
        }
        return named
    }

    private static func time(_ reader: inout Unmarshaller) throws(FallbackReason) -> UInt64 {
        guard try reader.signature().elementsEqual("t".utf8) else { throw .oddMessage }
        return try reader.uint64()
    }

    private static func property(_ name: StaticString, of interface: StaticString, at path: [UInt8]) -> MethodCall {
        MethodCall("Get", of: "org.freedesktop.DBus.Properties", at: path, signature: "ss") { arguments in
            arguments.string(interface.bytes)
            arguments.string(name.bytes)
        }
    }
}

/// A reason for which the full program takes over; none is an error.
package enum FallbackReason: Error, Equatable {
    /// There is no address, or no process listens there.
    case noBus
    case foreignBus(BusRefusal)
    /// No keyring runs on the bus.
    case noService
    /// The address names several sockets.
    case address
    case connection
    /// git's configuration may choose another place for credentials.
    case configuration
    case deadline
    case refused
    /// A message is unexpected, or exceeds our limits.
    case oddMessage
    /// The keyring or a matching item is locked.
    case locked
    /// There are too many items, an item has no secret, or the attributes exceed our limits.
    case ambiguous
}

/// A quick look into the keyring, for the front door and the target of a share.
package enum SessionKeyring {
    /// Milliseconds for everything together; a slower keyring is left to libsecret.
    ///
    /// If processes compete for the processor, the time is granted again (`Crowd`), since the full program would add to
    /// the load.
    private static let patience: Int64 = 250

    /// Returns `nil` to step aside, with the reason in the trace.
    package static func items(having attributes: ItemAttributes, _ trace: Trace) -> [Item]? {
        do throws(FallbackReason) {
            guard !GitConfiguration.mayNameStore else { throw .configuration }
            return try items(having: attributes, by: Deadline(in: patience, crowd: { Crowd.now }))
        } catch {
            trace { "the keyring cannot be read in passing: \(error)" }
            return nil
        }
    }

    private static func items(having attributes: ItemAttributes, by deadline: Deadline) throws(FallbackReason) -> [Item]
    {
        let environment = { (name: String) in Environment[name] }
        let read = { (address: SessionBusAddress) throws(FallbackReason) in
            guard address.sockets.count == 1 else { throw .address }
            return try SecretServiceReader.items(having: attributes, on: address.sockets[0], by: deadline)
        }
        let address = try rethrowing(as: FallbackReason.foreignBus, try SessionBusAddress(environment: environment))
        guard let address else { throw .noBus }
        do {
            return try read(address)
        } catch {
            guard error == .noBus, let usual = address.replacement(environment: environment) else { throw error }
            return try read(usual)
        }
    }
}
