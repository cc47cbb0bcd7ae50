internal import CLibsecret
internal import CredentialCore
internal import GLibSupport
internal import System

/// An item without its secret, by its properties.
struct DescribedItem {
    var item: Item
    let isLocked: Bool
    /// Whether the keyring has not been open since the service read it, so that the item's schema is unknown.
    let isHidden: Bool

    /// Reads properties; a missing one counts as empty, zero or unlocked.
    init(path: String, properties: borrowing Variant, foundBy asked: ItemAttributes) {
        let named = properties["Attributes"]?.dictionary ?? []
        let hidden = ItemAttributes(hidden: named, foundBy: asked)
        item = Item(
            path: path, attributes: hidden ?? ItemAttributes(named: named),
            schemaName: hidden == nil ? Schema.name(among: named) : nil, created: properties["Created"]?.uint64 ?? 0,
            modified: properties["Modified"]?.uint64 ?? 0, secret: nil)
        isLocked = properties["Locked"]?.boolean ?? false
        isHidden = hidden != nil
    }
}

extension SecretServiceConnection {
    /// The paths of all matching items of any schema, each once, sorted.
    func search(
        named attributes: [(name: String, value: [UInt8])]
    ) throws(KeyringError) -> (unlocked: [String], locked: [String]) {
        let table = StringTable(attributes)
        var unlocked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        var locked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        _ = try call(
            { secret_service_search_for_dbus_paths(service, nil, table.pointer, $0, $1, $2) },
            finish: { secret_service_search_for_dbus_paths_finish(service, $0, &unlocked, &locked, $1) })
        let lockedPaths = Set(CStrings.take(locked))
        return (Set(CStrings.take(unlocked)).subtracting(lockedPaths).sorted(), lockedPaths.sorted())
    }

    /// `nil` if the item no longer exists.
    func describe(_ path: String, foundBy asked: ItemAttributes) throws(KeyringError) -> DescribedItem? {
        do {
            return DescribedItem(path: path, properties: try properties(of: path, interface: Name.item), foundBy: asked)
        } catch .noSuchObject {
            return nil
        }
    }

    /// The secret, which may be any bytes, or `nil` if the service returned neither a secret nor an error.
    ///
    /// - Throws: `.locked` or `.noSuchObject`, as the service reports.
    func secret(of path: String) throws(KeyringError) -> Secret? {
        try openSession()
        let value = try call(
            { secret_service_get_secret_for_dbus_path(service, path, $0, $1, $2) },
            finish: { secret_service_get_secret_for_dbus_path_finish(service, $0, $1) })
        return value.map { SecretValueReference(taking: $0).copy() }
    }

    /// Unlocks, perhaps with a prompt; returns no path if a person closed it.
    func unlock(_ paths: [String], prompting: KeyringCalls.Prompting) throws(KeyringError) -> [String] {
        var unlocked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        var list = paths.map { UnsafePointer<gchar>(g_strdup($0)) } + [nil]
        defer { list.forEach { g_free(UnsafeMutableRawPointer(mutating: $0)) } }
        _ = try call(
            prompting: prompting, { secret_service_unlock_dbus_paths(service, &list, $0, $1, $2) },
            finish: { secret_service_unlock_dbus_paths_finish(service, $0, &unlocked, $1) })
        return CStrings.take(unlocked)
    }

    /// - Throws: `.noSuchObject` if the item no longer exists.
    func delete(_ path: String, prompting: KeyringCalls.Prompting) throws(KeyringError) {
        _ = try call(
            prompting: prompting, { secret_service_delete_item_dbus_path(service, path, $0, $1, $2) },
            finish: { secret_service_delete_item_dbus_path_finish(service, $0, $1) })
    }

    /// - Throws: `.noSuchObject` if the item no longer exists.
    func replaceSecret(of path: String, with secret: Secret) throws(KeyringError) {
        guard let value = SecretValueReference(secret) else { throw .other("no memory for a secret") }
        try openSession()
        let created = try call(
            { secret_item_new_for_dbus_path(service, path, SECRET_ITEM_NONE, $0, $1, $2) },
            finish: { secret_item_new_for_dbus_path_finish($0, $1) })
        guard let created else { throw .noSuchObject }
        let item = ObjectReference(taking: UnsafeMutableRawPointer(created))
        do throws(KeyringError) {
            _ = try call(
                { secret_item_set_secret(item.as(SecretItem.self), value.pointer, $0, $1, $2) },
                finish: { secret_item_set_secret_finish(item.as(SecretItem.self), $0, $1) })
        } catch .noSuchObject {
            // KWallet's answer if it cannot decrypt the secret. A missing item is missing in another session, too.
            throw .noSession
        }
    }

    /// Creates an item of the newer schema, with everything that git's helper sets.
    ///
    /// The flag to replace is not set: gnome-keyring (42) would also replace items with *more* attributes, so a save
    /// for `ghe.example` would destroy the item of `ghe.example:8443`. The caller has to find existing items.
    ///
    /// - Throws: `.noSuchObject` if there is no such collection, `.locked` if it is locked.
    func createItem(
        in collection: String, attributes: ItemAttributes, secret: Secret, prompting: KeyringCalls.Prompting
    ) throws(KeyringError) -> String {
        guard let value = SecretValueReference(secret) else { throw .other("no memory for a secret") }
        try openSession()
        let schema = (name: ItemAttributes.Name.schema, value: Array(Schema.gitPassword.rawValue.utf8))
        let properties = StringTable(properties: [
            (Name.item + ".Label", .text(attributes.label)),
            (Name.item + ".Attributes", .texts(attributes.named + [schema])),
        ])
        let path = try call(
            prompting: prompting,
            {
                secret_service_create_item_dbus_path(
                    service, collection, properties.pointer, value.pointer, SECRET_ITEM_CREATE_NONE, $0, $1, $2)
            }, finish: { secret_service_create_item_dbus_path_finish(service, $0, $1) })
        guard let path = CStrings.take(path), path != Name.noPath else { throw .dismissed }
        return path
    }

    /// The matching items, with the secrets of unlocked ones.
    ///
    /// Searches again, once, if an item disappears in between, since it may have been replaced.
    func readItems(having attributes: ItemAttributes, isRepeated: Bool = false) throws(KeyringError) -> [Item] {
        let (unlocked, locked) = try search(named: attributes.named)
        var items: [Item] = []
        for path in unlocked {
            if let item = try read(path, foundBy: attributes) { items.append(item) }
        }
        for path in locked {
            if let item = try describeLocked(path, foundBy: attributes) { items.append(item) }
        }
        let isComplete = items.count == unlocked.count + locked.count
        return isComplete || isRepeated ? items : try readItems(having: attributes, isRepeated: true)
    }

    /// Reads an item that the service has listed as unlocked.
    ///
    /// Items are read one by one, since some services refuse a whole list because of one.
    ///
    /// - Returns: the item, without its secret if it is locked after all (KeePassXC asks a person to confirm each
    ///   item), or `nil` if it no longer exists.
    /// - Throws: the service's error, unless the item is locked or no longer exists.
    func read(_ path: String, foundBy asked: ItemAttributes) throws(KeyringError) -> Item? {
        let found: Secret?
        do {
            found = try secret(of: path)
        } catch .locked {
            return try describeLocked(path, foundBy: asked)
        } catch .noSuchObject {
            return nil
        }
        guard var described = try describe(path, foundBy: asked) else { return nil }
        // A service may return nothing for an item that was just locked, and KWallet an empty secret. If the item is
        // unlocked, this session cannot decrypt its secret.
        guard let found, !found.isEmpty || !described.isLocked else {
            guard described.isLocked else { throw .noSession }
            return described.item
        }
        described.item.secret = found
        return described.item
    }

    private func describeLocked(_ path: String, foundBy asked: ItemAttributes) throws(KeyringError) -> Item? {
        guard var item = try describe(path, foundBy: asked)?.item else { return nil }
        // An item's path begins with its collection's, by the specification.
        item.needsConfirmation = try collection(at: Path.folder(of: path))?.isLocked == false
        return item
    }
}

extension ItemAttributes {
    /// The attributes of an item in a keyring that has not been unlocked since the daemon started, with values from the
    /// search, which the service has compared; `nil` if no attribute is hidden.
    ///
    /// gnome-keyring then shows digests of the values under prefixed names, but still finds the item. Read literally,
    /// the item would look like another program's.
    fileprivate init?(hidden shown: [(name: String, value: [UInt8])], foundBy asked: ItemAttributes) {
        let prefix = "gkr:compat:hashed:"
        let names = shown.filter { $0.name.hasPrefix(prefix) }.map { String($0.name.dropFirst(prefix.count)) }
        guard !names.isEmpty else { return nil }
        let known = asked.named
        self.init(named: names.map { name in (name, known.first { $0.name == name }?.value ?? Item.hiddenValue) })
    }
}

/// A value in libsecret's locked memory, wiped when the last reference is released.
struct SecretValueReference: ~Copyable {
    let pointer: OpaquePointer

    /// `text/plain` is the type that git's helper uses.
    init?(_ secret: borrowing Secret) {
        let value = secret.reveal { bytes in
            secret_value_new(bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count, "text/plain")
        }
        guard let value else { return nil }
        pointer = value
    }

    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    func copy() -> Secret {
        var count: gsize = 0
        let bytes = secret_value_get(pointer, &count)
        return Secret(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count)))
    }

    deinit { secret_value_unref(UnsafeMutableRawPointer(pointer)) }
}

/// A GHashTable with strings as keys, which owns its keys and values.
struct StringTable: ~Copyable {
    let pointer: OpaquePointer?

    /// The attributes must be expressible in D-Bus (`ItemAttributes.isExpressible`).
    init(_ attributes: [(name: String, value: [UInt8])]) {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        for (name, value) in attributes {
            let copy = (value + [0]).withUnsafeBytes { g_strdup($0.assumingMemoryBound(to: CChar.self).baseAddress) }
            g_hash_table_insert(pointer, g_strdup(name), copy)
        }
    }

    init(properties: [(name: String, value: VariantValue)]) {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free) { g_variant_unref(OpaquePointer($0)) }
        for (name, value) in properties {
            let variant = Variant(value)
            g_hash_table_insert(pointer, g_strdup(name), UnsafeMutableRawPointer(g_variant_ref(variant.pointer)))
        }
    }

    deinit { g_hash_table_unref(pointer) }
}

extension ItemAttributes {
    /// Whether all values are valid strings in D-Bus: UTF-8 without NUL.
    var isExpressible: Bool {
        named.allSatisfy { _, value in !value.contains(0) && String(validating: value, as: UTF8.self) != nil }
    }
}
