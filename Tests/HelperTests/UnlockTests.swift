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

        func isCollectionLocked() throws(KeyringError) -> Bool {
            if let fault { throw fault }
            return isLocked
        }

        func unlockCollection(with password: Secret) throws(KeyringError) -> Bool {
            isLocked = password.text != "open sesame "
            return !isLocked
        }

        func createCollection(with password: Secret) throws(KeyringError) { created = password.text }
    }

    private func run() throws -> (status: Verbs.ExitStatus, text: [String]) { try verb.run("unlock") }

    @Test("it asks for the password, and opens the keyring")
    func opens() throws {
        questions.answers = ["open sesame "]
        let (status, text) = try run()
        #expect(status == .done && text == ["The keyring is unlocked."] && !keyring.isLocked)
        #expect(questions.asked == ["Password of the keyring (not shown): "])
        #expect(try run().text == ["The keyring is already unlocked."])
        #expect(questions.asked.count == 1)
    }

    @Test("a wrong password is said, and nobody there is no failure")
    func wrong() throws {
        questions.answers = ["sesame"]
        #expect(try run().status == .failed && doubles.errors == [.wrongKeyringPassword] && keyring.isLocked)
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
        questions.answers = [""]
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
