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
    private let questions = ScriptedQuestions()
    private let keyring = LockedKeyring()
    private var doubles: Doubles { helper.doubles }

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

    private func run() -> (status: Verbs.ExitStatus, reports: [Unlock.Report]) {
        doubles.run(Unlock(keyring, questions: questions, with: .forTests(doubles)))
    }

    @Test("it asks for the password, and opens the keyring")
    func opens() {
        questions.answers = ["open sesame "]
        let (status, reports) = run()
        #expect(status == .done && reports == [.unlocked] && !keyring.isLocked)
        #expect(questions.asked == ["Password of the keyring (not shown): "])
        #expect(run().reports == [.alreadyUnlocked])
        #expect(questions.asked.count == 1)
    }

    @Test("a wrong password is said, and nobody there is no failure")
    func wrong() {
        questions.answers = ["sesame"]
        #expect(run().status == .failed && doubles.errors == [.wrongKeyringPassword] && keyring.isLocked)
        #expect(run().status == .cancelled && doubles.errors.count == 1)
    }

    @Test("where there is no keyring yet it makes one, whose password is typed twice")
    func creates() {
        keyring.fault = .noCollection
        questions.answers = ["one", "two"]
        #expect(run().status == .failed && doubles.errors == [.passwordsDiffer] && keyring.created == nil)
        questions.answers = ["one", "one"]
        #expect(run().reports == [.created] && keyring.created == "one")
        questions.areSecretsTyped = false
        questions.answers = ["piped"]
        #expect(run().reports == [.created] && keyring.created == "piped")
    }

    @Test(
        "a keyring that asks by itself is let, and told of where it cannot be seen",
        arguments: [
            ("keepassxc", KeyringProgram.keePassXC), ("ksecretd", .kwallet), ("kwalletd6", .kwallet),
            ("oo7-daemon", .other("oo7-daemon")),
        ])
    func others(program: String, owner: KeyringProgram) {
        keyring.program = program
        doubles.keyring.writeFault = .locked
        #expect(run().status == .failed && doubles.errors == [.unlockElsewhere(owner)] && questions.asked.isEmpty)
        doubles.keyring.writeFault = nil
        #expect(run().reports == [.unlocked])
        keyring.fault = .noCollection
        #expect(run().status == .failed && doubles.errors.last == .unlockElsewhere(owner))
    }

    @Test("who keeps credentials in memory has nothing to unlock; an absent keyring is an error")
    func nothing() {
        keyring.fault = .noBus
        #expect(run().status == .failed && doubles.errors == [.keyring(.noBus)])
        doubles.configure("credential", nil, "gitspaceStore", "cache")
        #expect(run().reports == [.unused])
    }

    @Test("no password is no wrong one")
    func empty() {
        questions.answers = [""]
        #expect(run().status == .failed && keyring.isLocked)
        #expect(doubles.errors.first?.text.english == "no password was given for the keyring")
        #expect(doubles.errors.first?.hints.last?.english == "  git credential-gitspace unlock")
    }
    @Test("no keyring is created without a password: it would not be encrypted", arguments: [true, false])
    func emptyNew(isTyped: Bool) {
        keyring.fault = .noCollection
        questions.areSecretsTyped = isTyped
        questions.answers = ["", ""]
        #expect(run().status == .failed && doubles.errors == [.noKeyringPassword] && keyring.created == nil)
    }
}
