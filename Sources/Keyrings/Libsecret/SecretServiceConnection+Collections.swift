internal import CLibsecret
internal import GLibSupport

extension SecretServiceConnection {
    /// A collection and whether it is locked.
    struct Collection {
        let path: String
        let label: String
        let isLocked: Bool
    }

    /// Reads the properties of a collection.
    ///
    /// - Returns: nil if there is none at `path`; an alias of gnome-keyring may point to one that does not exist.
    func collection(at path: String) throws(CallFailure) -> Collection? {
        guard g_variant_is_object_path(path) != 0, path != Name.noPath else { return nil }
        do {
            let properties = try properties(of: path, interface: Name.collection)
            return Collection(
                path: path, label: properties["Label"]?.string ?? "",
                isLocked: properties["Locked"]?.boolean ?? true)
        } catch .noSuchObject {
            return nil
        }
    }

    /// The path that an alias points to; nil if it points to none.
    func path(ofAlias alias: String) throws(CallFailure) -> String? {
        CStrings.take(
            try call(
                { secret_service_read_alias_dbus_path(service, alias, $0, $1, $2) },
                finish: { secret_service_read_alias_dbus_path_finish(service, $0, $1) }))
    }

    func collectionPaths() throws(CallFailure) -> [String] {
        try properties(of: Name.servicePath, interface: Name.service)["Collections"]?.objectPaths ?? []
    }

    /// Creates a collection; the service asks a person for its password.
    ///
    /// - Returns: its path; nil if the person closed the prompt.
    func createCollection(label: String, alias: String) throws(CallFailure) -> String? {
        let properties = PropertyTable()
        properties.set(Name.collection + ".Label", to: Variant(.string(label)))
        let path = try call(
            prompting: .announced(afterMilliseconds: 0),
            {
                secret_service_create_collection_dbus_path(
                    service, properties.pointer, alias, SECRET_COLLECTION_CREATE_NONE, $0, $1, $2)
            }, finish: { secret_service_create_collection_dbus_path_finish(service, $0, $1) })
        return CStrings.take(path).flatMap { $0 == Name.noPath ? nil : $0 }
    }

    /// Asks KWallet whether a wallet is open: it reports as locked any wallet that was not opened over this service.
    func isWalletOpen(_ name: String) throws(CallFailure) -> Bool {
        // Plasma 5, Plasma 6; one process owns all of these bus names.
        for path in ["/modules/kwalletd5", "/modules/kwalletd6", "/ksecretd"] {
            let arguments = Variant(.tuple([.string(name)]))
            let pointer = arguments.pointer
            do throws(CallFailure) {
                let reply = try call(
                    {
                        g_dbus_connection_call(
                            bus, ownerName, path, "org.kde.KWallet", "isOpen", pointer, nil,
                            G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, $0, $1, $2)
                    }, finish: { g_dbus_connection_call_finish(bus, $0, $1) })
                return reply.map({ Variant(taking: $0) })?.onlyMember(ofTuple: "(b)")?.boolean ?? false
            } catch .noSuchObject {
                continue
            }
        }
        return false
    }
}
