internal import CLibsecret
package import CredentialCore

extension LibsecretKeyring {
    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        let found = try retryingOnce { service throws(CallFailure) in try writeCollection(of: service) }
        guard let found else {
            return try retryingOnce { service throws(CallFailure) in
                // KeePassXC shows no collection as long as no database is open; that does not mean that it has none.
                guard try service.program() != .keePassXC else { throw .locked }
                guard configuredCollection == nil, mayPrompt, canPrompt else { throw .noCollection }
                try createDefaultCollection(of: service)
            }
        }
        guard found.isLocked else { return }
        try retryingOnce { service throws(CallFailure) in
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
        let names = try? retryingOnce { service throws(CallFailure) in
            let isTelling = try service.program() == .gnomeKeyring
            let https = [(name: ItemAttributes.Name.protocol, value: Array("https".utf8))]
            let items = isTelling ? try service.search(named: https).locked : []
            var names: [DisplayText] = []
            for path in try service.collectionPaths()
            where !isTelling || items.contains(where: { $0.hasPrefix(path + "/") }) {
                if let collection = try service.collection(at: path), collection.isLocked {
                    names.append(DisplayText(collection.label.utf8))
                }
            }
            return names
        }
        return names ?? []
    }

    /// The collection that new items go to.
    ///
    /// - Returns: the one that is configured, else the default one, else (KeePassXC names no default until a person
    ///   chooses one) the first that is unlocked; nil if there is none.
    func writeCollection(
        of service: SecretServiceConnection
    ) throws(CallFailure) -> SecretServiceConnection.Collection? {
        let wanted = configuredCollection ?? Self.defaultAlias
        let path = wanted.hasPrefix("/") ? wanted : try service.path(ofAlias: wanted)
        if let collection = try path.flatMap({ path throws(CallFailure) in try service.collection(at: path) }) {
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

    private func createDefaultCollection(of service: SecretServiceConnection) throws(CallFailure) {
        // The label that libsecret gives to a default collection.
        let path = try service.createCollection(label: "Default keyring", alias: Self.defaultAlias)
        guard path != nil else { throw .dismissed }
    }

    private static let defaultAlias = "default"
}
