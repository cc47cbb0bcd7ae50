internal import CredentialCore

/// The attributes of an item in a keyring that has not been unlocked since the daemon started.
///
/// gnome-keyring keeps the values encrypted and shows digests of them, under prefixed names and with a schema that is
/// not a real one, but it still finds the item. Read literally, these attributes would make the item look like one of
/// another program, and a keyring that is locked after login look empty.
struct HiddenAttributes {
    private static let prefix = "gkr:compat:hashed:"

    private let names: [String]

    /// The hidden attributes among those that the service shows; nil if none is hidden.
    init?(_ shown: [(name: String, value: [UInt8])]) {
        names = shown.filter { $0.name.hasPrefix(Self.prefix) }.map { String($0.name.dropFirst(Self.prefix.count)) }
        if names.isEmpty { return nil }
    }

    /// The attributes with the values that are known: those of the search, which the service has compared.
    ///
    /// - Parameter asked: the attributes of the search.
    /// - Returns: only the attributes that the item has.
    func attributes(foundBy asked: ItemAttributes) -> ItemAttributes {
        let known = asked.named
        return ItemAttributes(
            named: names.map { name in (name, known.first { $0.name == name }?.value ?? Item.hiddenValue) })
    }
}
