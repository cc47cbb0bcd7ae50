internal import ArgumentParser
internal import Helper
internal import Language
internal import Messages

/// The verb `unlock`.
struct UnlockVerb: PersonsVerb {
    static let configuration = CommandConfiguration("unlock", HelpWords.Unlock.verb)

    func command(_ start: VerbStart) -> Unlock {
        let root = start.root(for: nil)
        return Unlock(start.outside.unlockableKeyring(), questions: root.questions, with: root.dependencies)
    }
}
