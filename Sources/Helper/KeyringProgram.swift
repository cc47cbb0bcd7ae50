package import CredentialCore

/// The programs that provide a keyring, distinguished by how they are unlocked.
package enum KeyringProgram: Equatable {
    /// GNOME's, which accepts a password from any program.
    case gnomeKeyring
    /// KeePassXC, which unlocks its database only in its own window.
    case keePassXC
    /// KDE's, which asks only in its own window.
    case kwallet
    /// Any other, with the name of its program; nil if unknown.
    case other(DisplayText?)

    /// Recognises a program by its name, which may be the end of a path or have a version appended.
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
