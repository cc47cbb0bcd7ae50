import TestSupport
import Testing

/// Locked, absent, unreachable, dismissed and empty are five states; only an empty keyring leads to a sign-in.
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

    @Test("reports the error, starts no sign-in, and makes git stop", arguments: troubles)
    func signInHost(error: KeyringError) throws {
        doubles.keyring.fault = error
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(error)])
        #expect(nobodyWasAsked())
    }

    @Test("reports the error and lets git go on for a host without our sign-ins", arguments: troubles)
    func foreignHost(error: KeyringError) throws {
        doubles.keyring.fault = error
        #expect(try helper.run(.get, "protocol=https\nhost=example.com").isEmpty)
        #expect(doubles.errors == [.keyring(error)])
        #expect(nobodyWasAsked())
    }

    @Test("does not tell git to stop if git may not ask anyway", arguments: ["0", "false"])
    func gitDoesNotAsk(value: String) throws {
        doubles.environment["GIT_TERMINAL_PROMPT"] = value
        doubles.keyring.fault = .locked
        #expect(try helper.get().isEmpty)
        #expect(doubles.errors == [.keyring(.locked)])
    }

    @Test("prints nothing after Ctrl-C during a call to the keyring")
    func interrupted() throws {
        doubles.keyring.fault = .interrupted
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors.isEmpty)
    }

    @Test("unlocks and uses a locked item")
    func unlocked() throws {
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        #expect(try helper.get().contains("ghp_1"))
        #expect(doubles.keyring.calls == [.items, .unlock])
    }

    @Test("starts no sign-in if an item stays locked", arguments: [KeyringError.dismissed, .locked])
    func staysLocked(error: KeyringError) throws {
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = error
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(error)])
        #expect(nobodyWasAsked() && doubles.keyring.items.count == 1)
    }

    @Test("does not unlock another account's locked item")
    func otherLocked() throws {
        helper.brought("ghp_bob", user: "bob")
        doubles.keyring.isLocked = true
        doubles.ui.canBeReached = false
        _ = try helper.get(as: "alice")
        #expect(!doubles.keyring.calls.contains(.unlock))
    }

    @Test("checks that the keyring is writable before a sign-in begins", arguments: troubles)
    func unwritable(error: KeyringError) throws {
        doubles.keyring.writeFault = error
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(error)])
        #expect(doubles.transport.requests.isEmpty && doubles.ui.prompts.isEmpty)
    }

    @Test("loses nothing and prints only the protocol, whichever call fails", arguments: 1...7)
    func anyCall(number: Int) throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.faultAtCall = (number, .disconnected)
        // A refresh takes four calls, so later ones are never made.
        if number >= 4 { doubles.transport.answer(GitHubAnswers.gitHubAppToken) }
        let answer = try helper.get()
        #expect(answer == "quit=1\n" || answer.contains("password=ghu_16C7"))
        #expect(doubles.keyring.items.count == 1 && doubles.locks.held == 0)
    }
}
