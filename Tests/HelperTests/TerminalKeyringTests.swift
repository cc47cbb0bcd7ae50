import TestSupport
import Testing

@Suite("A keyring with its password prompt at the terminal")
struct TerminalKeyringTests {
    private let keyrings = LockedKeyring()
    private let questions = ScriptedQuestions()
    private let locks = ScriptedLocks()
    private let attributes = ItemAttributes(protocol: Array("https".utf8), host: HostName(name: "h"))

    private func atTerminal(_ place: String = "login", mayAsk: Bool = true) -> LockedItemKeyring {
        let keyring = LockedItemKeyring(keyrings, place: place)
        let help = KeyringHelp(questions, locks: locks) { mayAsk }
        keyring.help = { [keyrings] failure, selection throws(KeyringError) in
            try help.help(keyrings, after: failure, selection)
        }
        return keyring
    }

    // MARK: Locked

    @Test("asks for the password once in a command of git's, and goes on")
    func whenNeeded() throws {
        questions.answers = ["wrong", "open sesame "]
        let keyring = atTerminal()
        let locked = try keyring.items(having: attributes)
        #expect(locked.map(\.isLocked) == [true])
        #expect(try keyring.unlock(locked).map(\.secret?.text) == ["p"])
        try keyring.checkWritable(mayPrompt: true)
        let first = "Password of the keyring \"login\", usually your login password (not shown): "
        #expect(questions.asked == [first, "Wrong password. Try again (not shown): "])
        #expect(locks.held == 0)
    }

    @Test("unlocks the keyring with the item, and not the one for new items", arguments: [true, false])
    func second(isFirstOpen: Bool) throws {
        keyrings.locked = isFirstOpen ? ["work"] : ["login", "work"]
        questions.answers = ["Ali Baba"]
        let keyring = atTerminal("work")
        #expect(try keyring.unlock(try keyring.items(having: attributes)).map(\.secret?.text) == ["p"])
        #expect(questions.asked == ["Password of the keyring \"work\" (not shown): "])
        #expect(keyrings.locked == (isFirstOpen ? [] : ["login"]))
    }

    @Test("replaces an item in its own locked keyring, before a new token is lost")
    func saved() throws {
        keyrings.locked = ["work"]
        questions.answers = ["Ali Baba"]
        let keyring = atTerminal("work")
        try keyring.save(Secret("new"), under: attributes)
        #expect(keyring.saved == ["new"] && questions.asked.count == 1)
    }

    @Test("asks no more after three wrong passwords or Ctrl-C, in this process and in waiting ones")
    func givenUp() {
        for answers in [["a", "b", "c", "open sesame "], []] {
            questions.answers = answers
            let keyring = atTerminal()
            #expect(throws: KeyringError.dismissed) { try keyring.checkWritable(mayPrompt: true) }
            let count = questions.asked.count
            #expect(throws: KeyringError.locked) { try keyring.checkWritable(mayPrompt: true) }
            #expect(questions.asked.count == count)
        }
        #expect(locks.gaveUp == 2)
        locks.predecessorGaveUp = true
        let count = questions.asked.count
        #expect(throws: KeyringError.dismissed) { try atTerminal().checkWritable(mayPrompt: true) }
        #expect(questions.asked.count == count)
    }

    @Test("finds the keyring open, or created, after another process asked for the password")
    func afterSibling() throws {
        locks.whenAcquired = { [keyrings] in keyrings.locked = [] }
        try atTerminal().checkWritable(mayPrompt: true)
        keyrings.fault = .noCollection
        locks.whenAcquired = { [keyrings] in keyrings.fault = nil }
        try atTerminal().checkWritable(mayPrompt: true)
        #expect(questions.asked.isEmpty && keyrings.created.isEmpty)
    }

    @Test(
        "asks nothing if prompts are forbidden, without a terminal, or for another program's keyring",
        arguments: [KeyringError.locked, .noCollection])
    func notAsked(failure: KeyringError) {
        if failure == .noCollection { withoutCollection() }
        #expect(throws: failure) { try atTerminal(mayAsk: false).checkWritable(mayPrompt: true) }
        #expect(throws: failure) { try atTerminal().checkWritable(mayPrompt: false) }
        questions.canAsk = false
        #expect(throws: failure) { try atTerminal().checkWritable(mayPrompt: true) }
        questions.canAsk = true
        keyrings.program = "keepassxc"
        #expect(throws: failure) { try atTerminal().checkWritable(mayPrompt: true) }
        #expect(questions.asked.isEmpty && locks.wanted.isEmpty)
    }

    // MARK: Missing

    private static let question =
        "There is no keyring yet. Password for a new one (not shown; leave it empty to keep credentials in memory): "

    private func withoutCollection() {
        keyrings.fault = .noCollection
        keyrings.locked = []
    }

    @Test("creates a keyring before a sign-in and for a save if there is none")
    func made() throws {
        withoutCollection()
        questions.answers = ["new", "new"]
        try atTerminal().checkWritable(mayPrompt: true)
        #expect(questions.asked == [Self.question, "The same password again: "])
        withoutCollection()
        questions.answers = ["new", "newer", "third", "third"]
        let keyring = atTerminal()
        try keyring.save(Secret("p"), under: attributes)
        #expect(keyrings.created == ["new", "third"] && keyring.saved == ["p"])
    }

    @Test("creates no keyring after an empty password, and asks no more in this process and in waiting ones")
    func unwanted() {
        withoutCollection()
        questions.answers = [""]
        let keyring = atTerminal()
        #expect(throws: KeyringError.noCollection) { try keyring.checkWritable(mayPrompt: true) }
        #expect(throws: KeyringError.noCollection) { try keyring.save(Secret("p"), under: attributes) }
        #expect(questions.asked == [Self.question] && locks.gaveUp == 1)
        locks.predecessorGaveUp = true
        #expect(throws: KeyringError.noCollection) { try atTerminal().checkWritable(mayPrompt: true) }
        #expect(questions.asked.count == 1 && keyrings.created.isEmpty)
    }

    @Test("ends the command after Ctrl-C, or after two passwords that never match")
    func cancelled() {
        withoutCollection()
        for answers in [[], ["a"], ["a", "b", "c", "d", "e", "f"]] {
            questions.answers = answers
            #expect(throws: KeyringError.dismissed) { try atTerminal().checkWritable(mayPrompt: true) }
        }
        #expect(keyrings.created.isEmpty)
    }

    @Test("creates a keyring by the provider's own prompt, and none after it was closed")
    func byItsPrompt() throws {
        for program in ["gnome-keyring-daemon", "ksecretd"] {
            withoutCollection()
            keyrings.program = program
            keyrings.mayPrompt = true
            keyrings.promptFault = nil
            try atTerminal().checkWritable(mayPrompt: true)
            withoutCollection()
            keyrings.promptFault = .dismissed
            #expect(throws: KeyringError.noCollection) { try atTerminal().checkWritable(mayPrompt: true) }
            keyrings.promptFault = .unresponsive(seconds: 120)
            #expect(throws: KeyringError.unresponsive(seconds: 120)) { try atTerminal().checkWritable(mayPrompt: true) }
        }
        #expect(keyrings.created.count == 2 && keyrings.prompts == 6 && questions.asked.isEmpty)
    }
}
