import CredentialCore
import Helper
import Language
import Messages
import TestSupport
import Testing
import Verbs

@Suite("The verb unlock")
struct UnlockTests {
    private let helper = HelperFixture()
    private let verb: VerbFixture
    private let keyring = LockedKeyring()
    private var doubles: Doubles { helper.doubles }
    private var questions: ScriptedQuestions { verb.questions }

    init() {
        verb = VerbFixture(helper.doubles)
        verb.unlockableKeyring = keyring
    }

    /// A keyring with a password.
    private final class LockedKeyring: KeyringUnlocking {
        var program = "gnome-keyring-daemon"
        var isLocked = true
        var fault: KeyringError?
        private(set) var created: String?

        func checkBus() throws(KeyringError) {}
        func provider() throws(KeyringError) -> String? { program }

        var offeringProgram: KeyringProgram { KeyringProgram(program) }
        var collectionLabel: DisplayText? { "login" }

        func isCollectionLocked() throws(KeyringError) -> Bool {
            if let fault { throw fault }
            return isLocked
        }

        func unlockCollection(with password: Secret) throws(KeyringError) -> Bool {
            isLocked = password.text != "open sesame "
            return !isLocked
        }

        func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item] { items }
        func createCollection(with password: Secret) throws(KeyringError) { created = password.text }
    }

    /// The same keyring, as git's operations use it: no prompt can be shown.
    private final class TerminalsKeyring: Keyring, KeyringUnlocking {
        let lock: LockedKeyring
        var storage: CredentialStorage { .keyring }

        init(_ lock: LockedKeyring) { self.lock = lock }

        func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
            [
                Item(
                    path: "/1", attributes: attributes, schemaName: "org.git.Password",
                    secret: lock.isLocked ? nil : Secret("p"))
            ]
        }
        func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
            guard !lock.isLocked else { throw .locked }
            return items
        }
        func checkWritable(mayPrompt: Bool) throws(KeyringError) { if lock.isLocked { throw .locked } }
        func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool { true }
        func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {}
        func remove(_ item: Item) throws(KeyringError) {}
        func checkBus() throws(KeyringError) {}
        func provider() throws(KeyringError) -> String? { lock.program }
        var offeringProgram: KeyringProgram { lock.offeringProgram }
        var collectionLabel: DisplayText? { nil }
        func isCollectionLocked() throws(KeyringError) -> Bool { lock.isLocked }
        func unlockCollection(with password: Secret) throws(KeyringError) -> Bool {
            try lock.unlockCollection(with: password)
        }
        func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item] {
            guard !lock.isLocked, let first = items.first else { throw .locked }
            return try self.items(having: first.attributes)
        }
        func createCollection(with password: Secret) throws(KeyringError) {}
    }

    private func atTerminal(mayAsk: Bool = true) -> TerminalKeyring {
        TerminalKeyring(TerminalsKeyring(keyring), questions, locks: doubles.locks) { mayAsk }
    }

    // MARK: When git needs it

    @Test("git's command asks for the password, once, and goes on")
    func whenNeeded() throws {
        questions.answers = ["wrong", "open sesame "]
        let keyring = atTerminal()
        let locked = try keyring.items(having: ItemAttributes(protocol: Array("https".utf8), host: HostName(name: "h")))
        #expect(locked.map(\.isLocked) == [true])
        #expect(try keyring.unlock(locked).map(\.secret?.text) == ["p"])
        try keyring.checkWritable(mayPrompt: true)
        #expect(
            questions.asked == [
                "Password of the keyring, usually your login password (not shown): ",
                "Wrong password. Try again (not shown): ",
            ])
        #expect(doubles.locks.held == 0)
    }

    @Test("after three wrong ones, or Ctrl-C, nobody is asked again: not by this process, nor by its siblings")
    func givenUp() {
        for answers in [["a", "b", "c", "open sesame "], []] {
            questions.answers = answers
            let keyring = atTerminal()
            #expect(throws: KeyringError.dismissed) { try keyring.checkWritable(mayPrompt: true) }
            let count = questions.asked.count
            #expect(throws: KeyringError.locked) { try keyring.checkWritable(mayPrompt: true) }
            #expect(questions.asked.count == count)
        }
        #expect(doubles.locks.gaveUp == 2)
        doubles.locks.predecessorGaveUp = true
        let count = questions.asked.count
        #expect(throws: KeyringError.dismissed) { try atTerminal().checkWritable(mayPrompt: true) }
        #expect(questions.asked.count == count)
    }

    @Test("a process that waited while another asked finds it open")
    func afterSibling() throws {
        doubles.locks.whenAcquired = { [keyring] in keyring.isLocked = false }
        try atTerminal().checkWritable(mayPrompt: true)
        #expect(questions.asked.isEmpty)
    }

    @Test("nothing is asked where a prompt is forbidden, at no terminal, of another program, or without need")
    func notAsked() {
        #expect(throws: KeyringError.locked) { try atTerminal(mayAsk: false).checkWritable(mayPrompt: true) }
        #expect(throws: KeyringError.locked) { try atTerminal().checkWritable(mayPrompt: false) }
        questions.canAsk = false
        #expect(throws: KeyringError.locked) { try atTerminal().checkWritable(mayPrompt: true) }
        questions.canAsk = true
        keyring.program = "keepassxc"
        #expect(throws: KeyringError.locked) { try atTerminal().checkWritable(mayPrompt: true) }
        #expect(questions.asked.isEmpty)
    }

    // MARK: The verb

    private static let question = #"Password of the keyring "login", usually your login password (not shown): "#

    private func run() throws -> (status: Verbs.ExitStatus, text: [String]) { try verb.run("unlock") }

    @Test("it asks for the password, and opens the keyring")
    func opens() throws {
        questions.answers = ["open sesame "]
        let (status, text) = try run()
        #expect(status == .done && text == ["The keyring is unlocked."] && !keyring.isLocked)
        #expect(questions.asked == [Self.question])
        #expect(try run().text == ["The keyring is already unlocked."])
        #expect(questions.asked.count == 1)
    }

    @Test("a wrong password can be typed again twice, and nobody there is no failure")
    func wrong() throws {
        questions.answers = ["sesame", "Sesame", "open sesame "]
        #expect(try run().status == .done && !keyring.isLocked)
        #expect(
            questions.asked.dropFirst() == [
                "Wrong password. Try again (not shown): ", "Wrong password. Try again (not shown): ",
            ])
        keyring.isLocked = true
        questions.answers = ["sesame", "sesame", "sesame", "open sesame "]
        #expect(try run().status == .failed && doubles.errors == [.wrongKeyringPassword] && keyring.isLocked)
        questions.answers = []
        #expect(try run().status == .cancelled && doubles.errors.count == 1)
    }

    @Test("where there is no keyring yet it makes one, whose password is typed twice")
    func creates() throws {
        keyring.fault = .noCollection
        questions.answers = ["one", "two"]
        #expect(try run().status == .failed && doubles.errors == [.passwordsDiffer] && keyring.created == nil)
        questions.answers = ["one", "one"]
        #expect(try run().text == ["Created a keyring and unlocked it."] && keyring.created == "one")
        questions.areSecretsTyped = false
        questions.answers = ["piped"]
        #expect(try run().text == ["Created a keyring and unlocked it."] && keyring.created == "piped")
    }

    @Test(
        "a keyring that asks by itself is let, and told of where it cannot be seen",
        arguments: [
            ("keepassxc", KeyringProgram.keePassXC), ("ksecretd", .kwallet), ("kwalletd6", .kwallet),
            ("oo7-daemon", .other("oo7-daemon")),
        ])
    func others(program: String, owner: KeyringProgram) throws {
        keyring.program = program
        doubles.keyring.writeFault = .locked
        #expect(try run().status == .failed && doubles.errors == [.unlockElsewhere(owner)] && questions.asked.isEmpty)
        doubles.keyring.writeFault = nil
        #expect(try run().text == ["The keyring is unlocked."])
        keyring.fault = .noCollection
        #expect(try run().status == .failed && doubles.errors.last == .unlockElsewhere(owner))
    }

    @Test("who keeps credentials in memory has nothing to unlock; an absent keyring is an error")
    func nothing() throws {
        keyring.fault = .noBus
        #expect(try run().status == .failed && doubles.errors == [.keyring(.noBus)])
        doubles.configure("credential", nil, "gitspaceStore", "cache")
        #expect(
            try run().text == [
                "Nothing to unlock: credential.gitspaceStore is cache, so credentials are kept in memory."
            ])
    }

    @Test("no password is no wrong one")
    func empty() throws {
        questions.answers = ["", "", ""]
        #expect(try run().status == .failed && keyring.isLocked)
        #expect(doubles.errors.first?.text.english == "no password was given for the keyring")
        #expect(doubles.errors.first?.hints.last?.english == "  git credential-gitspace unlock")
    }

    @Test("no keyring is created without a password: it would not be encrypted", arguments: [true, false])
    func emptyNew(isTyped: Bool) throws {
        keyring.fault = .noCollection
        questions.areSecretsTyped = isTyped
        questions.answers = ["", ""]
        #expect(try run().status == .failed && doubles.errors == [.noKeyringPassword] && keyring.created == nil)
    }
}
