import CredentialCore
import Keyrings
import Staging
import Testing

@Suite("Keyrings unlocked with their password")
struct UnlockTests {
    @Test("unlocks with the password and not with a wrong one, and keeps other programs' sessions")
    func opens() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let password = try #require(getenv("KEYRING_PASSWORD").map { String(cString: $0) })
            let saved = try attributes("ghe.example")
            // Another program with its own session.
            let other = headlessKeyring()
            try other.save(secret("token"), under: saved)
            try control("lock")
            let keyring = headlessKeyring()
            let locked = try keyring.locked(.forNewItems)
            let login = try #require(locked.first)
            #expect(try !keyring.unlock(login, with: secret(password + "x")))
            #expect(try !keyring.unlock(login, with: secret("")))
            #expect(try keyring.locked(.all) == [login])
            #expect(try keyring.unlock(login, with: secret(password)))
            #expect(try keyring.locked(.all).isEmpty)
            #expect(try other.items(having: saved).first?.secret == secret("token"))
        }
    }

    @Test("creates a missing collection, which keeps its items")
    func creates() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try control("delete-collection")
            let keyring = headlessKeyring()
            #expect(throws: KeyringError.noCollection) { try keyring.locked(.forNewItems) }
            #expect(try keyring.locked(.all).isEmpty)
            try keyring.createCollection(with: secret("new"))
            #expect(try keyring.locked(.forNewItems).isEmpty)
            let saved = try attributes("ghe.example")
            try keyring.save(secret("token"), under: saved)
            try control("lock")
            let login = try #require(try keyring.locked(.forNewItems).first)
            #expect(try keyring.unlock(login, with: secret("new")))
            #expect(try keyring.items(having: saved).first?.secret == secret("token"))
        }
    }

    @Test("names and unlocks the one of two collections that has the item, not the default one")
    func second() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let password = try #require(getenv("KEYRING_PASSWORD").map { String(cString: $0) })
            let saved = try attributes("ghe.example")
            try control("create-collection", "work")
            try headlessKeyring().save(secret("token"), under: saved)
            try control("lock")
            try control("make-default", "login")
            // The service reads the file again, and then hides its items, as after each log-in.
            let file = try sessionHome().appending(path: ".local/share/keyrings/work.keyring")
            try FileManager.default.setAttributes(
                [.modificationDate: Date.now.addingTimeInterval(60)], ofItemAtPath: file.path)
            let keyring = headlessKeyring()
            let items = try keyring.items(having: saved)
            #expect(items.map(\.isLocked) == [true])
            #expect(try keyring.locked(.forNewItems).isEmpty)
            let work = LockedCollection(path: "/org/freedesktop/secrets/collection/work", name: "work")
            #expect(try keyring.locked(.holding(items)) == [work])
            #expect(try keyring.locked(.all) == [work])
            #expect(keyring.namesOfLocked == ["work"])
            #expect(throws: KeyringError.locked) { try keyring.save(secret("new"), under: saved) }
            #expect(try keyring.unlock(work, with: secret(password)))
            #expect(try keyring.readUnlocked(items).map(\.secret) == [secret("token")])
            #expect(try keyring.locked(.all).isEmpty && keyring.namesOfLocked.isEmpty)
        }
    }
}
