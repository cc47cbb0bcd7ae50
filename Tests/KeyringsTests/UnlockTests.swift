import CredentialCore
import Foundation
import Keyrings
import Staging
import Testing

@Suite("A keyring that is opened by its password")
struct UnlockTests {
    @Test("the password opens it, a wrong one does not, and other programs' sessions go on")
    func opens() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let password = try #require(getenv("KEYRING_PASSWORD").map { String(cString: $0) })
            let saved = try attributes("ghe.example")
            // Another program, with a session of its own.
            let other = headlessKeyring()
            try other.save(secret("token"), under: saved)
            try control("lock")
            let keyring = headlessKeyring()
            #expect(try keyring.isCollectionLocked())
            #expect(try !keyring.unlockCollection(with: secret(password + "x")))
            #expect(try !keyring.unlockCollection(with: secret("")))
            #expect(try keyring.isCollectionLocked())
            #expect(try keyring.unlockCollection(with: secret(password)))
            #expect(try !keyring.isCollectionLocked())
            #expect(try other.items(having: saved).first?.secret == secret("token"))
        }
    }

    @Test("where there is none, one is made, and keeps what it is given")
    func creates() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try control("delete-collection")
            let keyring = headlessKeyring()
            #expect(throws: KeyringError.noCollection) { try keyring.isCollectionLocked() }
            try keyring.createCollection(with: secret("new"))
            #expect(try !keyring.isCollectionLocked())
            let saved = try attributes("ghe.example")
            try keyring.save(secret("token"), under: saved)
            try control("lock")
            #expect(try keyring.unlockCollection(with: secret("new")))
            #expect(try keyring.items(having: saved).first?.secret == secret("token"))
        }
    }
}
