import TestSupport
import Testing

@Suite("The verb unlock")
struct UnlockTests: HelperSuite {
    let helper = HelperFixture()
    private let keyring = LockedKeyring()
    init() { verb.unlockableKeyring = keyring }
    private func run() throws -> (status: Verbs.ExitStatus, text: [String]) { try verb.run("unlock") }

    @Test("asks for one keyring after the other by name, even beside an open one, until the person cancels")
    func several() throws {
        keyring.locked = ["work"]
        questions.answers = ["Ali Baba"]
        #expect(try run().text == ["The keyring \"work\" is unlocked."] && keyring.locked.isEmpty)
        #expect(questions.asked == ["Password of the keyring \"work\" (not shown): "])
        keyring.locked = ["login", "work"]
        questions.answers = ["open sesame "]
        var (status, text) = try run()
        let half = ["The keyring \"login\" is unlocked.", "The keyring \"work\" is still locked."]
        #expect(status == .done && text == half && keyring.locked == ["work"])
        #expect(
            questions.asked.contains(#"Password of the keyring "login", usually your login password (not shown): "#))
        keyring.locked = ["login", "work"]
        questions.answers = ["open sesame ", "Ali Baba"]
        (status, text) = try run()
        #expect(status == .done && text.count == 2 && keyring.locked.isEmpty)
    }

    @Test("reads a password from standard input once, and tries it on each keyring")
    func piped() throws {
        questions.isInputTyped = false
        keyring.locked = ["login", "work"]
        questions.answers = ["Ali Baba"]
        #expect(try run().text == ["The keyring \"login\" is still locked.", "The keyring \"work\" is unlocked."])
        #expect(questions.asked.count == 1 && doubles.errors.isEmpty)
    }

    @Test("asks twice more after a wrong password, and does not fail without a person")
    func wrong() throws {
        questions.answers = ["sesame", "Sesame", "open sesame "]
        #expect(try run().status == .done && keyring.locked.isEmpty)
        let again = "Wrong password. Try again (not shown): "
        #expect(questions.asked.dropFirst() == [again, again])
        keyring.locked = ["login"]
        questions.answers = ["sesame", "sesame", "sesame", "open sesame "]
        #expect(try run().status == .failed && doubles.errors == [.wrongKeyringPassword] && !keyring.locked.isEmpty)
        questions.answers = []
        #expect(try run().status == .cancelled && doubles.errors.count == 1)
    }

    private func withoutCollection(_ fault: KeyringError = .noCollection) {
        keyring.fault = fault
        keyring.locked = []
    }

    @Test("creates a keyring if there is none, with a password that is typed twice")
    func creates() throws {
        withoutCollection()
        questions.answers = ["one", "two", "one", "two", "one", "two"]
        #expect(try run().status == .failed && doubles.errors == [.passwordsDiffer] && keyring.created.isEmpty)
        questions.answers = ["one", "two", "one", "one"]
        #expect(try run().text == ["Created a keyring and unlocked it."] && keyring.created == ["one"])
        withoutCollection()
        questions.isInputTyped = false
        questions.answers = ["piped"]
        #expect(try run().text == ["Created a keyring and unlocked it."] && keyring.created == ["one", "piped"])
    }

    @Test(
        "uses a keyring's own prompt, fails if the only one is closed, and names the program if none can be seen",
        arguments: [
            ("keepassxc", KeyringProgram.keePassXC), ("ksecretd", .kwallet), ("kwalletd6", .kwallet),
            ("oo7-daemon", .other("oo7-daemon")), (".keepassxc-wrapped", .keePassXC),
        ])
    func others(program: String, owner: KeyringProgram) throws {
        keyring.program = program
        #expect(try run().status == .failed && doubles.errors == [.unlockElsewhere(owner)])
        keyring.mayPrompt = true
        #expect(try run().text == ["The keyring \"login\" is unlocked."])
        keyring.locked = ["login", "work"]
        #expect(try run().text.count == 2 && keyring.locked.isEmpty && keyring.prompts == 3)
        withoutCollection()
        #expect(try run().text == ["Created a keyring and unlocked it."])
        withoutCollection()
        keyring.mayPrompt = false
        #expect(try run().status == .failed && doubles.errors.last == .keyring(.noCollection))
        // KeePassXC shows no database as long as none is open.
        withoutCollection(.locked)
        #expect(try run().status == .failed && doubles.errors.last == .unlockElsewhere(owner))
        (keyring.mayPrompt, keyring.locked, keyring.promptFault) = (true, ["login"], .dismissed)
        #expect(try run().status == .failed && doubles.errors.last == .keyring(.dismissed))
        #expect(questions.asked.isEmpty)
    }

    @Test("has nothing to unlock with gitspaceStore=cache, and reports a missing keyring as an error")
    func nothing() throws {
        withoutCollection(.noBus)
        #expect(try run().status == .failed && doubles.errors == [.keyring(.noBus)])
        doubles.configure("credential", nil, "gitspaceStore", "cache")
        let nothing = "Nothing to unlock: credential.gitspaceStore is cache, so credentials are kept in memory."
        #expect(try run().text == [nothing])
    }

    @Test("does not count an empty password as a wrong one")
    func empty() throws {
        questions.answers = ["", "", ""]
        #expect(try run().status == .failed && !keyring.locked.isEmpty)
        #expect(sentences.first == "no password was given for the keyring")
        #expect(doubles.errors.first?.hints.last?.english == "  git credential-gitspace unlock")
    }

    @Test("creates no keyring with an empty password, because it would not be encrypted", arguments: [true, false])
    func emptyNew(isTyped: Bool) throws {
        withoutCollection()
        questions.isInputTyped = isTyped
        questions.answers = ["", ""]
        #expect(try run().status == .failed && doubles.errors == [.noKeyringPassword] && keyring.created.isEmpty)
    }
}
