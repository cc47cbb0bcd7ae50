import CredentialCore
import Helper
import TestSupport
import Testing

@Suite("A keyring whose password is asked for at the terminal")
struct TerminalKeyringTests {
    private let keyrings = LockedKeyring()
    private let questions = ScriptedQuestions()
    private let locks = ScriptedLocks()
    private let attributes = ItemAttributes(protocol: Array("https".utf8), host: HostName(name: "h"))

    private func atTerminal(_ place: String = "login", mayAsk: Bool = true) -> (TerminalKeyring, LockedItemKeyring) {
        let keyring = LockedItemKeyring(keyrings, place: place)
        return (TerminalKeyring(keyring, questions, locks: locks) { mayAsk }, keyring)
    }

    // MARK: Locked

    @Test("git's command asks for the password, once, and goes on")
    func whenNeeded() throws {
        questions.answers = ["wrong", "open sesame "]
        let (keyring, _) = atTerminal()
        let locked = try keyring.items(having: attributes)
        #expect(locked.map(\.isLocked) == [true])
        #expect(try keyring.unlock(locked).map(\.secret?.text) == ["p"])
        try keyring.checkWritable(mayPrompt: true)
        #expect(
            questions.asked == [
                "Password of the keyring \"login\", usually your login password (not shown): ",
                "Wrong password. Try again (not shown): ",
            ])
        #expect(locks.held == 0)
    }

    @Test("the keyring is meant that has the item, and not the one for new items", arguments: [true, false])
    func second(isFirstOpen: Bool) throws {
        keyrings.locked = isFirstOpen ? ["work"] : ["login", "work"]
        questions.answers = ["Ali Baba"]
        let (keyring, _) = atTerminal("work")
        #expect(try keyring.unlock(try keyring.items(having: attributes)).map(\.secret?.text) == ["p"])
        #expect(questions.asked == ["Password of the keyring \"work\" (not shown): "])
        #expect(keyrings.locked == (isFirstOpen ? [] : ["login"]))
    }

    @Test("what is stored already in a locked keyring is replaced there, before a new token is lost")
    func saved() throws {
        keyrings.locked = ["work"]
        questions.answers = ["Ali Baba"]
        let (keyring, place) = atTerminal("work")
        try keyring.save(Secret("new"), under: attributes)
        #expect(place.saved == ["new"] && questions.asked.count == 1)
    }

    @Test("after three wrong ones, or Ctrl-C, nobody is asked again: not by this process, nor by its siblings")
    func givenUp() {
        for answers in [["a", "b", "c", "open sesame "], []] {
            questions.answers = answers
            let (keyring, _) = atTerminal()
            #expect(throws: KeyringError.dismissed) { try keyring.checkWritable(mayPrompt: true) }
            let count = questions.asked.count
            #expect(throws: KeyringError.locked) { try keyring.checkWritable(mayPrompt: true) }
            #expect(questions.asked.count == count)
        }
        #expect(locks.gaveUp == 2)
        locks.predecessorGaveUp = true
        let count = questions.asked.count
        #expect(throws: KeyringError.dismissed) { try atTerminal().0.checkWritable(mayPrompt: true) }
        #expect(questions.asked.count == count)
    }

    @Test("a process that waited while another asked finds it open, or made")
    func afterSibling() throws {
        locks.whenAcquired = { [keyrings] in keyrings.locked = [] }
        try atTerminal().0.checkWritable(mayPrompt: true)
        keyrings.fault = .noCollection
        locks.whenAcquired = { [keyrings] in keyrings.fault = nil }
        try atTerminal().0.checkWritable(mayPrompt: true)
        #expect(questions.asked.isEmpty && keyrings.created.isEmpty)
    }

    @Test(
        "nothing is asked where a prompt is forbidden, at no terminal, of another program, or without need",
        arguments: [KeyringError.locked, .noCollection])
    func notAsked(failure: KeyringError) {
        if failure == .noCollection {
            keyrings.fault = failure
            keyrings.locked = []
        }
        #expect(throws: failure) { try atTerminal(mayAsk: false).0.checkWritable(mayPrompt: true) }
        #expect(throws: failure) { try atTerminal().0.checkWritable(mayPrompt: false) }
        questions.canAsk = false
        #expect(throws: failure) { try atTerminal().0.checkWritable(mayPrompt: true) }
        questions.canAsk = true
        keyrings.program = "keepassxc"
        #expect(throws: failure) { try atTerminal().0.checkWritable(mayPrompt: true) }
        #expect(questions.asked.isEmpty && locks.wanted.isEmpty)
    }

    // MARK: Missing

    private static let question =
        "There is no keyring yet. Password for a new one (not shown; leave it empty to keep credentials in memory): "

    private func withoutCollection() {
        keyrings.fault = .noCollection
        keyrings.locked = []
    }

    @Test("where there is none, one is made before a sign-in, and by a save")
    func made() throws {
        withoutCollection()
        questions.answers = ["new", "new"]
        try atTerminal().0.checkWritable(mayPrompt: true)
        #expect(questions.asked == [Self.question, "The same password again: "])
        withoutCollection()
        questions.answers = ["new", "newer", "third", "third"]
        let (keyring, place) = atTerminal()
        try keyring.save(Secret("p"), under: attributes)
        #expect(keyrings.created == ["new", "third"] && place.saved == ["p"])
    }

    @Test("who types no password wants none, and is not asked again: not by this process, nor by its siblings")
    func unwanted() {
        withoutCollection()
        questions.answers = [""]
        let (keyring, _) = atTerminal()
        #expect(throws: KeyringError.noCollection) { try keyring.checkWritable(mayPrompt: true) }
        #expect(throws: KeyringError.noCollection) { try keyring.save(Secret("p"), under: attributes) }
        #expect(questions.asked == [Self.question] && locks.gaveUp == 1)
        locks.predecessorGaveUp = true
        #expect(throws: KeyringError.noCollection) { try atTerminal().0.checkWritable(mayPrompt: true) }
        #expect(questions.asked.count == 1 && keyrings.created.isEmpty)
    }

    @Test("Ctrl-C ends the command, as do two passwords that never match")
    func cancelled() {
        withoutCollection()
        for answers in [[], ["a"], ["a", "b", "c", "d", "e", "f"]] {
            questions.answers = answers
            #expect(throws: KeyringError.dismissed) { try atTerminal().0.checkWritable(mayPrompt: true) }
        }
        #expect(keyrings.created.isEmpty)
    }

    @Test("a keyring that shows its own prompt makes one by that, of whatever program; who closes it wants none")
    func byItsPrompt() throws {
        for program in ["gnome-keyring-daemon", "ksecretd"] {
            withoutCollection()
            keyrings.program = program
            keyrings.mayPrompt = true
            keyrings.promptFault = nil
            try atTerminal().0.checkWritable(mayPrompt: true)
            withoutCollection()
            keyrings.promptFault = .dismissed
            #expect(throws: KeyringError.noCollection) { try atTerminal().0.checkWritable(mayPrompt: true) }
            keyrings.promptFault = .unresponsive(seconds: 120)
            #expect(throws: KeyringError.unresponsive(seconds: 120)) {
                try atTerminal().0.checkWritable(mayPrompt: true)
            }
        }
        #expect(keyrings.created.count == 2 && keyrings.prompts == 6 && questions.asked.isEmpty)
    }

    @Test("a keyring that is configured and not there is no reason to make another one")
    func misnamed() {
        keyrings.fault = .noSuchCollection("work")
        keyrings.locked = []
        keyrings.mayPrompt = true
        #expect(throws: KeyringError.noSuchCollection("work")) { try atTerminal().0.checkWritable(mayPrompt: true) }
        #expect(questions.asked.isEmpty && keyrings.created.isEmpty)
    }
}
