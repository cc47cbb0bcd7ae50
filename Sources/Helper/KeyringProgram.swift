package import CredentialCore

/// The programs that offer a keyring, as far as they differ in how they are opened.
package enum KeyringProgram: Equatable {
    /// GNOME's: it takes a password from whoever has it.
    case gnomeKeyring
    /// KeePassXC: it opens its database in its own window alone.
    case keePassXC
    /// KDE's: it asks in its own window alone.
    case kwallet
    /// Any other, by the name of its program; nil if nobody tells.
    case other(DisplayText?)

    /// Recognises a program by its name, which may have a path's rest or a version behind it.
    package init(_ name: String?) {
        let folded = name?.lowercased() ?? ""
        self =
            if folded.hasPrefix("gnome-keyring") {
                .gnomeKeyring
            } else if folded.contains("keepassxc") {
                .keePassXC
            } else if folded.hasPrefix("kwallet") || folded.hasPrefix("ksecret") {
                .kwallet
            } else {
                .other(name.map { DisplayText($0.utf8) })
            }
    }
}
