import CredentialCore
import Glibc
import Keyrings
import Staging
import Testing

@Suite("Services that violate the protocol")
struct OddServiceTests {
    @Test("begins with a call other than OpenSession, and reads with six calls")
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
                "OpenSession plain", "GetSecrets", "GetAll",
            ])
    }

    @Test(
        "takes an item as locked if its secret is refused as locked, but saves there, or if it is empty and locked meanwhile",
        arguments: ["says-open", "empties"])
    func saysOpen(mode: String) async throws {
        let (environment, service) = try await scripted(mode)
        let asksForEach = mode == "says-open"
        await #expect(processExitsWith: .success) {
            [environment = environment as [String: String], asksForEach = asksForEach as Bool] in
            let (keyring, attributes) = try entered(environment)
            let items = try keyring.items(having: attributes)
            #expect(items.map(\.isLocked) == [true])
            #expect(items.map(\.needsConfirmation) == [asksForEach])
            // A new secret is kept, although it cannot be read.
            if asksForEach { try keyring.save(secret("new"), under: attributes) }
        }
        #expect(service.calls.contains("GetSecrets"))
        #expect(service.calls.count { $0 == "SetSecret" } == (asksForEach ? 1 : 0))
    }

    @Test("leaves out an item that has vanished, after looking a second time", arguments: [("gone", 2), ("twice", 1)])
    func vanished(mode: String, searches: Int) async throws {
        let (environment, service) = try await scripted(mode)
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            let (keyring, attributes) = try entered(environment)
            #expect(try keyring.items(having: attributes).count == 1)
        }
        #expect(service.calls.count { $0 == "SearchItems" } == searches)
    }

    @Test("takes an unlocked item without a secret neither as locked nor as an empty password")
    func noSecret() async throws {
        let (environment, service) = try await scripted("no-secret")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            let (keyring, attributes) = try entered(environment)
            #expect(throws: KeyringError.noSession) { try keyring.items(having: attributes) }
        }
        #expect(service.calls.count { $0 == "GetSecrets" } == 4)
    }

    @Test("repeats a save that was not kept, then reports an error although the service did not")
    func notKept() async throws {
        let (environment, service) = try await scripted("forgets")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let keyring = LibsecretKeyring(canPrompt: false, limits: limits(save: 2_000))
            for host in [ScriptedBusService.host, "new.example"] {
                let attributes = try attributes(host)
                let error = #expect(throws: KeyringError.self) { try keyring.save(secret("new"), under: attributes) }
                // The time limit may end during an attempt.
                #expect([.notKept, .unresponsive(seconds: 2)].contains(error))
            }
        }
        #expect(service.calls.count { $0 == "SetSecret" } > 1)
    }

    @Test(
        "leaves one item with our secret if the keyring restarts during a save, or a rival saves at the same moment",
        arguments: ["restarts", "rival"])
    func disturbed(mode: String) async throws {
        let (environment, service) = try await scripted(mode)
        await #expect(processExitsWith: .success) { [environment = environment as [String: String], mode] in
            Session.enter(environment)
            let attributes = try attributes("new.example")
            try headlessKeyring().save(secret("ours"), under: attributes)
            let items = try headlessKeyring().items(having: attributes)
            #expect(items.map(\.secret) == [secret("ours")])
            #expect(mode == "restarts" || items.map(\.path) == ["/org/freedesktop/secrets/collection/login/0"])
        }
        // The restart loses the first call; of the rivals, the second by path is wiped and goes.
        let (created, deleted) = (service.calls.count { $0 == "CreateItem" }, service.calls.contains("Delete"))
        #expect(mode == "restarts" ? created == 2 : deleted)
        #expect(mode == "restarts" || service.calls.count { $0 == "SetSecret" } == 2)
    }

    @Test(
        "opens another session if one is refused, forgotten or useless",
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

    @Test("tries only once to open a session that KWallet lacks a plugin for")
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

    @Test("keeps every message of GLib and libsecret off stdout and stderr")
    func silence() async throws {
        let (environment, service) = try await scripted("dismisses-bare")
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [environment = environment as [String: String]] in
            Session.enter(environment)
            // Enables GDBus's and GLib's messages; the service causes libsecret's warnings.
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

@Suite("Keyrings that hide their items while locked")
struct HidingTests {
    @Test(
        "treats an empty answer of a locked keyring as unknown, asks the person once, and never searches a locked KeePassXC",
        arguments: ["hides", "keepassxc"])
    func locked(mode: String) async throws {
        let (environment, service) = try await scripted(mode)
        let hasWindow = mode == "keepassxc"
        await #expect(processExitsWith: .success) {
            [environment = environment as [String: String], hasWindow = hasWindow as Bool] in
            Session.enter(environment)
            let attributes = try attributes(ScriptedBusService.host)
            // A person without a display sees only a window of the keyring's own. A quicker search sees no locked item.
            let headless = LibsecretKeyring(
                canPrompt: false, isPersonHere: !hasWindow, limits: limits(),
                willPrompt: { _ in Issue.record("a prompt") }, inPassing: { _ in [] })
            #expect(throws: KeyringError.locked) { try headless.items(having: attributes) }
            #expect(throws: KeyringError.locked) { try headless.checkWritable(mayPrompt: true) }
            #expect(throws: KeyringError.locked) { try headless.save(secret("new"), under: attributes) }
            let other = [(name: "server", value: Array(ScriptedBusService.host.utf8))]
            if hasWindow { #expect(throws: KeyringError.locked) { try headless.foreignItems(having: other) } }
            var prompts = 0
            let keyring = LibsecretKeyring(canPrompt: true, limits: limits(), willPrompt: { _ in prompts += 1 })
            #expect(throws: KeyringError.locked) { try keyring.items(having: attributes) }
            #expect(prompts == 0)
            try keyring.checkWritable(mayPrompt: true)
            #expect(prompts == 1)
            #expect(try keyring.items(having: attributes).map(\.secret) == [secret("token")])
        }
        let calls = service.calls
        let prompt = try #require(calls.firstIndex(of: "Prompt"))
        // A locked KeePassXC opens a dialog at a search.
        if mode == "keepassxc" { #expect(!calls[..<prompt].contains("SearchItems")) }
    }

    @Test("names a locked database in front of an open one, and does not write to it")
    func front() async throws {
        let (environment, service) = try await scripted("front")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            let (keyring, known) = try entered(environment)
            let other = try attributes("other.example")
            #expect(throws: KeyringError.locked) { try keyring.items(having: known) }
            // Fails at once, without waiting for the dialog that the call would open.
            #expect(throws: KeyringError.locked) { try keyring.save(secret("new"), under: other) }
            #expect(throws: KeyringError.locked) { try keyring.checkWritable(mayPrompt: true) }
            #expect(try keyring.locked(.forNewItems).map(\.name) == ["login"])
            #expect(keyring.namesOfLocked == ["login"])
        }
        #expect(!service.calls.contains("CreateItem") && !service.calls.contains("Prompt"))
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let keyring = LibsecretKeyring(canPrompt: false, isPersonHere: true, limits: limits())
            let other = try attributes("other.example")
            try keyring.save(secret("new"), under: other)
            #expect(try keyring.items(having: other).map(\.secret) == [secret("new")])
        }
    }

    @Test("lets a keyring with its own window ask without our display, if a person is present")
    func ownWindow() async throws {
        let (environment, service) = try await scripted("keepassxc")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            var asked: [KeyringProgram] = []
            let keyring = LibsecretKeyring(
                canPrompt: false, isPersonHere: true, limits: limits(), willPrompt: { asked.append($0) })
            try keyring.checkWritable(mayPrompt: true)
            #expect(asked == [.keePassXC])
            #expect(keyring.offeringProgram == .keePassXC)
        }
        #expect(service.calls.contains("Prompt"))
    }

    @Test("overwrites an item before removing it, so that no recycle bin holds a token")
    func overwritten() async throws {
        let (environment, service) = try await scripted("open")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            let (keyring, attributes) = try entered(environment)
            let items = try keyring.items(having: attributes)
            try keyring.remove(try #require(items.first))
        }
        let calls = service.calls
        let written = try #require(calls.firstIndex(of: "SetSecret"))
        #expect(try #require(calls.firstIndex(of: "Delete")) > written)
    }
}
