import TestSupport
import Testing

/// Locked, absent, unreachable, dismissed and empty are five states; only an empty keyring leads to a sign-in.
@Suite("get: a keyring in trouble")
struct KeyringTroubleTests: HelperSuite {
    let helper = HelperFixture()

    static let troubles: [KeyringError] = [
        .noBus, .foreignBus(.user(12_345)), .foreignBus(.address("tcp:")), .noProvider, .noCollection,
        .noSuchCollection("work"), .locked, .dismissed, .unresponsive(seconds: 5), .denied, .disconnected, .noPlugin,
        .other("a library's words"),
    ]

    private func nobodyWasAsked() -> Bool { requests.isEmpty && prompts.isEmpty && doubles.locks.wanted.isEmpty }

    @Test(
        "reports the error, asks nobody, and makes git stop on a host with sign-ins", arguments: troubles,
        [true, false])
    func trouble(error: KeyringError, isSignInHost: Bool) throws {
        doubles.keyring.fault = error
        #expect(try get(host: isSignInHost ? "github.com" : "example.com") == (isSignInHost ? "quit=1\n" : ""))
        #expect(doubles.errors == [.keyring(error)] && nobodyWasAsked())
    }

    @Test("does not tell git to stop if git may not ask anyway", arguments: ["0", "false"])
    func gitDoesNotAsk(value: String) throws {
        doubles.environment["GIT_TERMINAL_PROMPT"] = value
        doubles.keyring.fault = .locked
        #expect(try get().isEmpty && doubles.errors == [.keyring(.locked)])
    }

    @Test("prints nothing after Ctrl-C, unlocks and uses a locked item, and does not unlock another account's")
    func unlocked() throws {
        doubles.keyring.fault = .interrupted
        #expect(try get() == "quit=1\n" && doubles.errors.isEmpty)
        doubles.keyring.fault = nil
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        doubles.ui.canBeReached = false
        _ = try get(as: "alice")
        #expect(!doubles.keyring.calls.contains(.unlock))
        let before = doubles.keyring.calls.count
        #expect(try get().contains("ghp_1"))
        #expect(Array(doubles.keyring.calls.dropFirst(before)) == [.items, .unlock])
    }

    @Test("starts no sign-in if an item stays locked", arguments: [KeyringError.dismissed, .locked])
    func staysLocked(error: KeyringError) throws {
        helper.brought("ghp_1")
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = error
        #expect(try get() == "quit=1\n" && doubles.errors == [.keyring(error)])
        #expect(nobodyWasAsked() && doubles.keyring.items.count == 1)
    }

    @Test("checks that the keyring is writable before a sign-in begins", arguments: troubles)
    func unwritable(error: KeyringError) throws {
        doubles.keyring.writeFault = error
        #expect(try get() == "quit=1\n")
        #expect(doubles.errors == [.keyring(error)] && requests.isEmpty && prompts.isEmpty)
    }

    @Test("loses nothing and prints only the protocol, whichever call fails", arguments: 1...7)
    func anyCall(number: Int) throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.faultAtCall = (number, .disconnected)
        // A refresh takes four calls, so later ones are never made.
        if number >= 4 { respond(GitHubAnswers.gitHubAppToken) }
        let answer = try get()
        #expect(answer == "quit=1\n" || answer.contains("password=ghu_16C7"))
        #expect(doubles.keyring.items.count == 1 && doubles.locks.held == 0)
    }
}
