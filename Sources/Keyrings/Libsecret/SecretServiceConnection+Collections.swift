internal import CLibsecret
internal import GLibSupport

extension SecretServiceConnection {
    /// A collection and whether it is locked.
    struct Collection {
        let path: String
        let isLocked: Bool
    }

    /// Looks at a collection.
    ///
    /// - Returns: nil if there is none at `path`; gnome-keyring's aliases may name one that is not there.
    func collection(at path: String) throws(CallFailure) -> Collection? {
        guard g_variant_is_object_path(path) != 0, path != Name.noPath else { return nil }
        do {
            let properties = try properties(of: path, interface: Name.collection)
            return Collection(path: path, isLocked: properties["Locked"]?.boolean ?? true)
        } catch .noSuchObject {
            return nil
        }
    }

    /// The path that an alias stands for; nil if it stands for nothing.
    func path(ofAlias alias: String) throws(CallFailure) -> String? {
        CStrings.take(
            try call(
                { secret_service_read_alias_dbus_path(service, alias, $0, $1, $2) },
                finish: { secret_service_read_alias_dbus_path_finish(service, $0, $1) }))
    }

    /// The paths of all collections.
    func collectionPaths() throws(CallFailure) -> [String] {
        try properties(of: Name.servicePath, interface: Name.service)["Collections"]?.objectPaths ?? []
    }

    /// Creates a collection, for which the service asks a person for a password.
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
}
