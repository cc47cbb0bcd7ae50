import CredentialCore
import Glibc
import Keyrings
import Staging
import Testing

@Suite("Keyrings that hide their items while locked")
struct HidingTests {
    @Test(
        "treats an empty answer of a locked keyring as unknown, and asks the person once",
        arguments: ["hides", "keepassxc"])
    func locked(mode: String) async throws {
        let (environment, service) = try await scripted(mode)
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let attributes = try attributes(ScriptedBusService.host)
            let headless = LibsecretKeyring(
                canPrompt: false, limits: limits(), willPrompt: { _ in Issue.record("a prompt") })
            #expect(throws: KeyringError.locked) { try headless.items(having: attributes) }
            #expect(throws: KeyringError.locked) { try headless.checkWritable(mayPrompt: true) }
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
            Session.enter(environment)
            let known = try attributes(ScriptedBusService.host)
            let other = try attributes("other.example")
            let keyring = headlessKeyring()
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
            Session.enter(environment)
            let keyring = headlessKeyring()
            let items = try keyring.items(having: try attributes(ScriptedBusService.host))
            try keyring.remove(try #require(items.first))
        }
        let calls = service.calls
        let written = try #require(calls.firstIndex(of: "SetSecret"))
        #expect(try #require(calls.firstIndex(of: "Delete")) > written)
    }

    @Test("names a keyring that does not answer")
    func hung() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try signalKeyring(SIGSTOP)
            let keyring = headlessKeyring(silent: 500)
            #expect(throws: KeyringError.unresponsive(seconds: 1)) {
                try keyring.items(having: try attributes(ScriptedBusService.host))
            }
            #expect(keyring.offeringProgram == .gnomeKeyring)
            try signalKeyring(SIGCONT)
        }
    }
}
