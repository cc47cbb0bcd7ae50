import CredentialCore
import Foundation
import Keyrings
import Staging
import Testing

@Suite("A service that does not keep its word")
struct OddServiceTests {
    @Test("the first message is never OpenSession, and a read takes six questions")
    func firstMessage() async throws {
        let (environment, service) = try await scripted("open")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let items = try headlessKeyring().items(having: try attributes(ScriptedBusService.host))
            #expect(items.map(\.secret) == [secret("token")])
        }
        #expect(
            service.calls == [
                "GetAll", "GetAll", "SearchItems", "OpenSession dh-ietf1024-sha256-aes128-cbc-pkcs7",
                "OpenSession plain",
                "GetSecrets", "GetAll",
            ])
    }

    @Test("an item whose secret is refused as locked is locked, whatever the search said")
    func saysOpen() async throws {
        let (environment, service) = try await scripted("says-open")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let items = try headlessKeyring().items(having: try attributes(ScriptedBusService.host))
            #expect(items.map(\.isLocked) == [true])
        }
        #expect(service.calls.contains("GetSecrets"))
    }

    @Test("an open item without a secret is neither locked nor an empty password")
    func noSecret() async throws {
        let (environment, service) = try await scripted("no-secret")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let attributes = try attributes(ScriptedBusService.host)
            #expect(throws: KeyringError.noSession) { try headlessKeyring().items(having: attributes) }
        }
        #expect(service.calls.count { $0 == "GetSecrets" } == 4)
    }

    @Test("an item that has vanished is left out after a second look", arguments: [("gone", 2), ("twice", 1)])
    func vanished(mode: String, searches: Int) async throws {
        let (environment, service) = try await scripted(mode)
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let items = try headlessKeyring().items(having: try attributes(ScriptedBusService.host))
            #expect(items.count == 1)
        }
        #expect(service.calls.count { $0 == "SearchItems" } == searches)
    }

    @Test("a save that is not kept is tried again and then is an error, though none was reported")
    func notKept() async throws {
        let (environment, service) = try await scripted("forgets")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let keyring = LibsecretKeyring(canPrompt: false, limits: limits(save: 2_000))
            for host in [ScriptedBusService.host, "new.example"] {
                let attributes = try attributes(host)
                let error = #expect(throws: KeyringError.self) {
                    try keyring.save(secret("new"), under: attributes)
                }
                // The time may end in the middle of a try.
                #expect([.notKept, .unresponsive(seconds: 2)].contains(error))
            }
        }
        #expect(service.calls.count { $0 == "SetSecret" } > 1)
    }

    @Test("a keyring that ends in the middle of a save, and is started again, has it in the end")
    func restarted() async throws {
        let (environment, service) = try await scripted("restarts")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let attributes = try attributes("new.example")
            try headlessKeyring().save(secret("new"), under: attributes)
            #expect(try headlessKeyring().items(having: attributes).map(\.secret) == [secret("new")])
        }
        #expect(service.calls.count { $0 == "CreateItem" } == 2)
    }

    @Test("of two that create an item at the same moment, both keep the first by its path")
    func rival() async throws {
        let (environment, service) = try await scripted("rival")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let attributes = try attributes("new.example")
            try headlessKeyring().save(secret("ours"), under: attributes)
            let items = try headlessKeyring().items(having: attributes)
            #expect(items.map(\.path) == ["/org/freedesktop/secrets/collection/login/0"])
            #expect(items.map(\.secret) == [secret("ours")])
        }
        #expect(service.calls.contains("Delete"))
    }

    @Test(
        "a session that is refused, forgotten or of no use is followed by another",
        arguments: ["refuses-session", "forgets-session", "garbles-session"])
    func sessionLost(mode: String) async throws {
        let (environment, service) = try await scripted(mode)
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let known = try attributes(ScriptedBusService.host)
            let found = try headlessKeyring().items(having: known)
            #expect(found.map(\.secret) == [secret("token")])
            try headlessKeyring().save(secret("new"), under: known)
            let created = try attributes("new.example")
            try headlessKeyring().save(secret("another"), under: created)
            #expect(try headlessKeyring().items(having: created).map(\.secret) == [secret("another")])
            let foreign = try headlessKeyring().foreignItems(having: [("server", Array("new.example".utf8))])
            #expect(foreign.map(\.secret) == [secret("another")])
            for item in found { try headlessKeyring().remove(item) }
        }
        #expect(service.calls.count { $0 == "OpenSession plain" } == 12)
        #expect(service.calls.count { $0 == "Delete" } == 1)
        #expect(["SetSecret", "CreateItem"].allSatisfy(service.calls.contains))
    }

    @Test("a session that KWallet cannot open without a plugin is not asked for again")
    func noPlugin() async throws {
        let (environment, service) = try await scripted("no-plugin")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let known = try attributes(ScriptedBusService.host)
            #expect(throws: KeyringError.noPlugin) { try headlessKeyring().items(having: known) }
            #expect(throws: KeyringError.noPlugin) { try headlessKeyring().save(secret("new"), under: known) }
        }
        #expect(service.calls.count { $0 == "OpenSession plain" } == 2)
    }

    @Test("not a byte of GLib's or libsecret's own reaches stdout or stderr")
    func silence() async throws {
        let (environment, service) = try await scripted("dismisses-bare")
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [environment = environment as [String: String]] in
            Session.enter(environment)
            // GDBus prints every message, GLib every note, and the service makes libsecret warn.
            setenv("G_DBUS_DEBUG", "all", 1)
            setenv("G_MESSAGES_DEBUG", "all", 1)
            let keyring = LibsecretKeyring(canPrompt: true, limits: limits())
            let items = try keyring.items(having: try attributes(ScriptedBusService.host))
            #expect(throws: KeyringError.dismissed) { try keyring.unlock(items) }
        }
        let (output, error) = (result?.standardOutputContent, result?.standardErrorContent)
        #expect(output.map { String(decoding: $0, as: UTF8.self) } == "")
        #expect(error.map { String(decoding: $0, as: UTF8.self) } == "")
        #expect(service.calls.contains("Prompt"))
    }
}
