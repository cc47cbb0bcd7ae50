import CredentialCore
import Foundation
import LibsecretKeyring
import Testing

@Suite("A service that does not keep its word")
struct OddServiceTests {
    @Test("the first message is never OpenSession, and a read takes five questions")
    func firstMessage() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let service = try ScriptedService("open")
            let items = try headlessKeyring().items(having: try attributes("scripted.example"))
            #expect(items.map(\.secret) == [secret("token")])
            let calls = try service.stop()
            #expect(
                calls == [
                    "GetAll", "SearchItems", "OpenSession dh-ietf1024-sha256-aes128-cbc-pkcs7", "OpenSession plain",
                    "GetSecrets", "GetAll",
                ])
        }
    }

    @Test("an item whose secret is refused as locked is locked, whatever the search said")
    func saysOpen() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let service = try ScriptedService("says-open")
            let items = try headlessKeyring().items(having: try attributes("scripted.example"))
            #expect(items.map(\.isLocked) == [true])
            _ = try service.stop()
        }
    }

    @Test("an open item without a secret is neither locked nor an empty password")
    func noSecret() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let service = try ScriptedService("no-secret")
            let keyring = headlessKeyring()
            let attributes = try attributes("scripted.example")
            #expect(throws: KeyringError.other("no secret for an unlocked item")) {
                try keyring.items(having: attributes)
            }
            _ = try service.stop()
        }
    }

    @Test("an item that has vanished is left out after a second look", arguments: [("gone", 2), ("twice", 1)])
    func vanished(mode: String, searches: Int) async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) {
            [
                environment = session.environment as SessionEnvironment, mode = mode as String,
                searches = searches as Int
            ] in
            environment.enter()
            let service = try ScriptedService(mode)
            let items = try headlessKeyring().items(having: try attributes("scripted.example"))
            #expect(items.count == 1)
            #expect(try service.stop().filter { $0 == "SearchItems" }.count == searches)
        }
    }

    @Test("a save that is not kept is tried again and then is an error, though none was reported")
    func notKept() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let service = try ScriptedService("forgets")
            let keyring = LibsecretKeyring(canPrompt: false, limits: limits())
            for host in ["scripted.example", "new.example"] {
                let attributes = try attributes(host)
                #expect(throws: KeyringError.other("the secret was not kept")) {
                    try keyring.save(secret("new"), under: attributes)
                }
            }
            let calls = try service.stop()
            #expect(calls.filter { $0 == "SetSecret" }.count > 2)
        }
    }

    @Test("not a byte of GLib's or libsecret's own reaches stdout or stderr")
    func silence() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            // GDBus prints every message, GLib every note, and the service makes libsecret warn.
            setenv("G_DBUS_DEBUG", "all", 1)
            setenv("G_MESSAGES_DEBUG", "all", 1)
            let service = try ScriptedService("dismisses-bare")
            let keyring = LibsecretKeyring(canPrompt: true)
            let items = try keyring.items(having: try attributes("scripted.example"))
            #expect(throws: KeyringError.dismissed) { try keyring.unlock(items) }
            _ = try service.stop()
        }
        let (output, error) = (result?.standardOutputContent, result?.standardErrorContent)
        #expect(output.map { String(decoding: $0, as: UTF8.self) } == "")
        #expect(error.map { String(decoding: $0, as: UTF8.self) } == "")
    }
}
