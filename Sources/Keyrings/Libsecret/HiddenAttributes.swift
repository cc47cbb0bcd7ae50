internal import CredentialCore

/// The attributes of an item in a keyring that nobody has unlocked since the daemon started.
///
/// gnome-keyring keeps the values encrypted and shows digests of them, under names of its own, with a schema that is none;
/// it finds such an item all the same. Taken at its word, the item would look like a stranger's, and a keyring that is
/// locked after every login like an empty one.
struct HiddenAttributes {
    private static let prefix = "gkr:compat:hashed:"

    private let names: [String]

    /// The hidden attributes among those that the service shows; nil if none is hidden.
    init?(_ shown: [(name: String, value: [UInt8])]) {
        names = shown.filter { $0.name.hasPrefix(Self.prefix) }.map { String($0.name.dropFirst(Self.prefix.count)) }
        if names.isEmpty { return nil }
    }

    /// What is known of the values: those by which the item was found, for the service has compared them.
    ///
    /// - Parameter asked: the attributes of the search.
    /// - Returns: the attributes that are there, and only those.
    func attributes(foundBy asked: ItemAttributes) -> ItemAttributes {
        let known = asked.named
        return ItemAttributes(
            named: names.map { name in (name, known.first { $0.name == name }?.value ?? Item.hiddenValue) })
    }
}
