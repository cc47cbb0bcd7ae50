internal import CLibsecret
package import CredentialCore

extension LibsecretKeyring {
    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        let found = try retryingOnce { service throws(CallFailure) in try writeCollection(of: service) }
        guard let found else {
            guard configuredCollection == nil, mayPrompt, canPrompt else { throw .noCollection }
            return try retryingOnce { service throws(CallFailure) in try createDefaultCollection(of: service) }
        }
        guard found.isLocked else { return }
        guard mayPrompt, canPrompt else { throw .locked }
        try retryingOnce { service throws(CallFailure) in
            guard try !service.unlock([found.path]).isEmpty else { throw .dismissed }
            let isLocked = try service.collection(at: found.path)?.isLocked ?? true
            guard !isLocked else { throw .locked }
        }
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
        // gnome-keyring keeps "session" in memory only: nothing to entrust a token to.
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
