import CredentialCore
import Keyrings
import Staging
import Testing

@Suite("Locked keyrings without a display")
struct LockedTests {
    @Test("finds locked items without their secrets, and distinguishes them from none")
    func found() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let saved = try attributes("ghe.example")
            try headlessKeyring().save(secret("token"), under: saved)
            try control("lock")
            let keyring = headlessKeyring()
            let items = try keyring.items(having: saved)
            #expect(items.map(\.isLocked) == [true] && items.first?.attributes == saved)
            #expect(try keyring.items(having: try attributes("other.example")).isEmpty)
            try control("unlock")
            #expect(try keyring.items(having: saved).first?.secret == secret("token"))
        }
    }

    @Test("unlocks, writes and removes nothing, and asks nobody")
    func refused() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let saved = try attributes("ghe.example")
            try headlessKeyring().save(secret("token"), under: saved)
            try control("lock")
            let keyring = LibsecretKeyring(
                canPrompt: false, limits: limits(), willPrompt: { _ in Issue.record("a prompt") })
            let items = try keyring.items(having: saved)
            #expect(throws: KeyringError.locked) { try keyring.unlock(items) }
            #expect(throws: KeyringError.locked) { try keyring.checkWritable(mayPrompt: true) }
            #expect(throws: KeyringError.locked) { try keyring.save(secret("new"), under: saved) }
            #expect(throws: KeyringError.locked) {
                try keyring.save(secret("new"), under: try attributes("new.example"))
            }
            #expect(throws: KeyringError.locked) { try keyring.remove(try #require(items.first)) }
            try control("unlock")
            #expect(try keyring.items(having: saved).first?.secret == secret("token"))
        }
    }

    @Test("offers no prompt if the caller forbids it")
    func mayNotPrompt() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try control("lock")
            let keyring = LibsecretKeyring(
                canPrompt: true, limits: limits(), willPrompt: { _ in Issue.record("a prompt") })
            #expect(throws: KeyringError.locked) { try keyring.checkWritable(mayPrompt: false) }
        }
    }
}
