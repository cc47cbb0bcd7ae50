internal import ArgumentParser
internal import Commands
internal import Helper
internal import Language
internal import Messages
internal import Words

/// The verb `unlock`.
struct UnlockVerb: PersonsVerb {
    static let configuration = CommandConfiguration("unlock", HelpWords.Unlock.verb)

    func command(_ start: VerbStart) -> Unlock {
        let root = start.root(for: nil)
        return Unlock(root.unlockableKeyring(), questions: root.questions, with: root.dependencies)
    }
}
