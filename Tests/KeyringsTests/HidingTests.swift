import CredentialCore
import Glibc
import Keyrings
import Staging
import Testing

@Suite("A keyring that tells nothing while it is locked")
struct HidingTests {
    @Test(
        "an empty answer is no answer while the keyring is locked, and the person is asked once",
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
        // KeePassXC answers a search with a dialog as long as it is locked.
        if mode == "keepassxc" { #expect(!calls[..<prompt].contains("SearchItems")) }
    }

    @Test("a locked database that is in front of an open one is locked, named, and not written to")
    func front() async throws {
        let (environment, service) = try await scripted("front")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let known = try attributes(ScriptedBusService.host)
            let other = try attributes("other.example")
            let keyring = headlessKeyring()
            #expect(throws: KeyringError.locked) { try keyring.items(having: known) }
            // At once: the dialog that an answer to it would open is not waited for.
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

    @Test("a keyring with a window of its own may ask where we have no display, if somebody is there")
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

    @Test("a secret without a byte is no secret if the keyring has been locked meanwhile")
    func emptied() async throws {
        let (environment, service) = try await scripted("empties")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let items = try headlessKeyring().items(having: try attributes(ScriptedBusService.host))
            #expect(items.map(\.isLocked) == [true])
        }
        #expect(service.calls.contains("GetSecrets"))
    }

    @Test("what is removed is written over first: a recycle bin must not hold a token")
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

    @Test("a keyring that does not answer is known by its name all the same")
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
