internal import ArgumentParser
internal import Commands
internal import Helper

/// The verb `unlock`.
struct UnlockVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock the keyring in a terminal.",
        discussion: """
            Asks for the keyring's password without showing it, or reads it from standard input. For gnome-keyring; of \
            KeePassXC and KWallet it tells how they are unlocked.
            """)

    func command(_ start: VerbStart) -> Unlock {
        let root = start.root(for: nil)
        return Unlock(root.unlockableKeyring(), questions: root.questions, with: root.dependencies)
    }
}
