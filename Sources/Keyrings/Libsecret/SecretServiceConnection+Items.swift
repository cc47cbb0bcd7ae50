internal import CLibsecret
internal import CredentialCore
internal import GLibSupport

/// An item as its properties describe it, without the secret.
struct DescribedItem {
    let path: String
    let attributes: ItemAttributes
    let schemaName: String?
    let created: UInt64
    let modified: UInt64
    let isLocked: Bool

    /// Reads the properties of an item; a missing one counts as empty, zero or unlocked.
    ///
    /// - Parameters:
    ///   - path: the item's path.
    ///   - properties: what the service reports.
    ///   - asked: the attributes that it was found by.
    init(path: String, properties: borrowing Variant, foundBy asked: ItemAttributes) {
        let named = properties["Attributes"]?.dictionary ?? []
        self.path = path
        if let hidden = HiddenAttributes(named) {
            attributes = hidden.attributes(foundBy: asked)
            schemaName = nil
        } else {
            let schema = named.first { $0.name == ItemAttributes.Name.schema }?.value
            attributes = ItemAttributes(named: named)
            schemaName = schema.map { String(decoding: $0, as: UTF8.self) }
        }
        created = properties["Created"]?.uint64 ?? 0
        modified = properties["Modified"]?.uint64 ?? 0
        isLocked = properties["Locked"]?.boolean ?? false
    }

    /// Whether it has the schema that we write.
    var isOfNewerSchema: Bool { schemaName == Schema.gitPassword.rawValue }

    /// The item for the core.
    func item(secret: Secret?, isInOpenCollection: Bool = false) -> Item {
        Item(
            path: path, attributes: attributes, schemaName: schemaName, created: created, modified: modified,
            secret: secret, needsConfirmation: secret == nil && isInOpenCollection)
    }
}

extension SecretServiceConnection {
    /// Finds the items that have all of the attributes, whatever their schema.
    ///
    /// - Returns: the paths that the service lists as unlocked, and those that it lists as locked; each path once.
    func search(_ attributes: ItemAttributes) throws(CallFailure) -> (unlocked: [String], locked: [String]) {
        try search(named: attributes.named)
    }

    /// The same for attributes of any name.
    func search(
        named attributes: [(name: String, value: [UInt8])]
    ) throws(CallFailure) -> (unlocked: [String], locked: [String]) {
        let table = AttributeTable(attributes)
        var unlocked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        var locked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        _ = try call(
            { secret_service_search_for_dbus_paths(service, nil, table.pointer, $0, $1, $2) },
            finish: { secret_service_search_for_dbus_paths_finish(service, $0, &unlocked, &locked, $1) })
        let lockedPaths = Set(CStrings.take(locked))
        return (Set(CStrings.take(unlocked)).subtracting(lockedPaths).sorted(), lockedPaths.sorted())
    }

    /// Reads the properties of an item.
    ///
    /// - Returns: nil if it no longer exists.
    func describe(_ path: String, foundBy asked: ItemAttributes) throws(CallFailure) -> DescribedItem? {
        do {
            return DescribedItem(
                path: path, properties: try properties(of: path, interface: Name.item), foundBy: asked)
        } catch .noSuchObject {
            return nil
        }
    }

    /// Loads the secret of an item, which may be any bytes.
    ///
    /// - Returns: nil if the service returned none, and no error.
    /// - Throws: `.locked` or `.noSuchObject`, if the service reports that.
    func secret(of path: String) throws(CallFailure) -> Secret? {
        let value = try call(
            { secret_service_get_secret_for_dbus_path(service, path, $0, $1, $2) },
            finish: { secret_service_get_secret_for_dbus_path_finish(service, $0, $1) })
        return value.map { SecretValueReference(taking: $0).copy() }
    }

    /// Asks the service to unlock items or collections, which may open a prompt.
    ///
    /// - Returns: the paths that it reports as unlocked now; none if a person closed the prompt.
    func unlock(_ paths: [String], prompting: KeyringCalls.Prompting) throws(CallFailure) -> [String] {
        var unlocked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        _ = try call(
            prompting: prompting,
            { cancellable, callback, data in
                CStrings.withList(paths) { list in
                    secret_service_unlock_dbus_paths(service, list, cancellable, callback, data)
                }
            }, finish: { secret_service_unlock_dbus_paths_finish(service, $0, &unlocked, $1) })
        return CStrings.take(unlocked)
    }

    /// Deletes one item.
    ///
    /// - Throws: `.noSuchObject` if it no longer exists.
    func delete(_ path: String, prompting: KeyringCalls.Prompting) throws(CallFailure) {
        _ = try call(
            prompting: prompting, { secret_service_delete_item_dbus_path(service, path, $0, $1, $2) },
            finish: { secret_service_delete_item_dbus_path_finish(service, $0, $1) })
    }

    /// Replaces the secret of an existing item and keeps its attributes.
    ///
    /// - Throws: `.noSuchObject` if it no longer exists.
    func replaceSecret(of path: String, with secret: Secret) throws(CallFailure) {
        guard let value = SecretValueReference(secret) else { throw .other("no memory for a secret") }
        let created = try call(
            { secret_item_new_for_dbus_path(service, path, SECRET_ITEM_NONE, $0, $1, $2) },
            finish: { secret_item_new_for_dbus_path_finish($0, $1) })
        guard let created else { throw .noSuchObject }
        let item = ObjectReference(taking: UnsafeMutableRawPointer(created))
        _ = try call(
            { secret_item_set_secret(item.as(SecretItem.self), value.pointer, $0, $1, $2) },
            finish: { secret_item_set_secret_finish(item.as(SecretItem.self), $0, $1) })
    }

    /// Creates an item of the newer schema, with everything that git's helper sets.
    ///
    /// Does not set the flag to replace: with it, gnome-keyring (42) also replaces items that have *more* attributes,
    /// so a save for `ghe.example` would destroy the item of `ghe.example:8443`. The caller has to find existing items.
    ///
    /// - Returns: its path.
    /// - Throws: `.noSuchObject` if there is no such collection, `.locked` if it is locked.
    func createItem(
        in collection: String, attributes: ItemAttributes, secret: Secret, prompting: KeyringCalls.Prompting
    ) throws(CallFailure) -> String {
        guard let value = SecretValueReference(secret) else { throw .other("no memory for a secret") }
        let schema = (name: ItemAttributes.Name.schema, value: Array(Schema.gitPassword.rawValue.utf8))
        let properties = PropertyTable()
        properties.set(Name.item + ".Label", to: Variant(.text(attributes.label)))
        properties.set(Name.item + ".Attributes", to: Variant(.texts(attributes.named + [schema])))
        let path = try call(
            prompting: prompting,
            {
                secret_service_create_item_dbus_path(
                    service, collection, properties.pointer, value.pointer, SECRET_ITEM_CREATE_NONE, $0, $1, $2)
            }, finish: { secret_service_create_item_dbus_path_finish(service, $0, $1) })
        guard let path = CStrings.take(path), path != Name.noPath else { throw .dismissed }
        return path
    }
}
