/// The programs that provide a Secret Service, distinguished by how they are unlocked.
package enum KeyringProgram: Equatable, Sendable {
    /// GNOME's keyring, which accepts a password from any program.
    case gnomeKeyring
    /// KeePassXC, which unlocks its database only in its own window.
    case keePassXC
    /// KDE's wallet, which asks only in its own window.
    case kwallet
    /// Another program, with its name, or `nil` if unknown.
    case other(DisplayText?)

    /// Recognises a name, which may be a path's last part, or have a version appended.
    package init(_ name: String?) {
        // Bytes: the functions of String that search would make the front door larger by a megabyte.
        let folded = (name ?? "").utf8.map(ASCII.folded)
        self =
            if folded.starts(with: "gnome-keyring".utf8) {
                .gnomeKeyring
            } else if folded.indices.contains(where: { folded[$0...].starts(with: "keepassxc".utf8) }) {
                .keePassXC
            } else if folded.starts(with: "kwallet".utf8) || folded.starts(with: "ksecret".utf8) {
                .kwallet
            } else {
                .other(name.map { DisplayText(untrusted: $0.utf8) })
            }
    }

    /// Whether the program asks in a window of its own, even if we have no display.
    package var asksInOwnWindow: Bool { self == .keePassXC || self == .kwallet }
}
