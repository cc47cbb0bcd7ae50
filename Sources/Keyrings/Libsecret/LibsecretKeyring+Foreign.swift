package import CredentialCore
internal import GLibSupport

extension LibsecretKeyring: ForeignKeyring {
    /// More than any tool stores for one person; reading more would take too long.
    private static let mostForeignItems = 500

    package func foreignItems(
        having attributes: [(name: String, value: [UInt8])]
    ) throws(KeyringError) -> [ForeignItem] {
        try retryingOnce { service throws(CallFailure) in
            try prepareSearch(on: service)
            var (paths, locked) = try service.search(named: attributes)
            if !locked.isEmpty {
                paths += try unlock(locked, on: service)
            }
            var items: [ForeignItem] = []
            for path in paths.prefix(Self.mostForeignItems) {
                if let item = try readForeign(path, on: service) { items.append(item) }
            }
            return items
        }
    }

    /// Reads an item; nil if it no longer exists, or is still locked.
    private func readForeign(_ path: String, on service: SecretServiceConnection) throws(CallFailure) -> ForeignItem? {
        do {
            guard let secret = try service.secret(of: path) else { return nil }
            let properties = try service.properties(of: path, interface: SecretServiceConnection.Name.item)
            return ForeignItem(
                attributes: properties["Attributes"]?.dictionary ?? [],
                modified: properties["Modified"]?.uint64 ?? 0, secret: secret)
        } catch .noSuchObject, .locked {
            return nil
        }
    }
}
