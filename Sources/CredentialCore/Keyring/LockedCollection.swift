/// A collection of the Secret Service that is locked: to a person, a keyring, a wallet or a database.
package struct LockedCollection: Equatable {
    /// An object path on the bus.
    package let path: String
    /// Nil if it has none.
    package let name: DisplayText?

    package init(path: String, name: DisplayText?) {
        self.path = path
        self.name = name
    }

    /// pam_gnome_keyring(8) opens it, and no other, if a person logs in to a desktop.
    package var hasLoginPassword: Bool { path.hasSuffix("/login") }
}

/// Which collections are meant.
package enum CollectionSelection {
    case forNewItems
    /// Those in which these items are.
    case holding([Item])
    /// The one for new items, then each that has credentials, or does not tell what it has.
    case all
}
