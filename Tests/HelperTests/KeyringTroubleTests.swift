import CredentialCore
import Helper
import Messages
import TestSupport
import Testing

/// Locked, absent, unreachable, dismissed and empty are five things; only an empty keyring leads to a sign-in.
@Suite("get: a keyring in trouble")
struct KeyringTroubleTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    static let troubles: [KeyringError] = [
        .noBus, .foreignBus(.user(12_345)), .foreignBus(.address("tcp:")), .noProvider, .noCollection,
        .noSuchCollection("work"), .locked,
        .dismissed, .unresponsive(seconds: 5), .denied, .disconnected, .noPlugin,
        .other("a library's words"),
    ]

    private func nobodyWasAsked() -> Bool {
        doubles.transport.requests.isEmpty && doubles.ui.prompts.isEmpty && doubles.locks.wanted.isEmpty
    }

    @Test("it is named, nobody is asked to sign in, and git must not ask for a password", arguments: troubles)
    func signInHost(error: KeyringError) throws {
        doubles.keyring.fault = error
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(error)])
        #expect(nobodyWasAsked())
    }

    @Test("for a host where we do not sign in, git may go on", arguments: troubles)
    func foreignHost(error: KeyringError) throws {
        doubles.keyring.fault = error
        #expect(try helper.run(.get, "protocol=https\nhost=example.com").isEmpty)
        #expect(doubles.errors == [.keyring(error)])
        #expect(nobodyWasAsked())
    }

    @Test("where git has been told not to ask, it need not be told to quit", arguments: ["0", "false"])
    func gitDoesNotAsk(value: String) throws {
        doubles.environment["GIT_TERMINAL_PROMPT"] = value
        doubles.keyring.fault = .locked
        #expect(try helper.get().isEmpty)
        #expect(doubles.errors == [.keyring(.locked)])
    }

    @Test("Ctrl-C while the keyring is asked needs no words")
    func interrupted() throws {
        doubles.keyring.fault = .interrupted
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors.isEmpty)
    }

    @Test("a locked item is unlocked and used")
    func unlocked() throws {
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        #expect(try helper.get().contains("ghp_1"))
        #expect(doubles.keyring.calls == [.items, .unlock])
    }

    @Test("one that stays locked leads to no sign-in", arguments: [KeyringError.dismissed, .locked])
    func staysLocked(error: KeyringError) throws {
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = error
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(error)])
        #expect(nobodyWasAsked() && doubles.keyring.items.count == 1)
    }

    @Test("another account's locked item is not unlocked")
    func otherLocked() throws {
        helper.brought("ghp_bob", user: "bob")
        doubles.keyring.isLocked = true
        doubles.ui.canBeReached = false
        _ = try helper.get(as: "alice")
        #expect(!doubles.keyring.calls.contains(.unlock))
    }

    @Test("before a person does their part, it is certain that the token can be kept", arguments: troubles)
    func unwritable(error: KeyringError) throws {
        doubles.keyring.writeFault = error
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(error)])
        #expect(doubles.transport.requests.isEmpty && doubles.ui.prompts.isEmpty)
    }

    @Test("whichever call it fails at, nothing is lost and nothing is printed but the protocol", arguments: 1...7)
    func anyCall(number: Int) throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.faultAtCall = (number, .disconnected)
        // A refresh takes four calls; the ones behind that are never made.
        if number >= 4 { doubles.transport.answer(GitHubAnswers.gitHubAppToken) }
        let answer = try helper.get()
        #expect(answer == "quit=1\n" || answer.contains("password=ghu_16C7"))
        #expect(doubles.keyring.items.count == 1 && doubles.locks.held == 0)
    }
}
