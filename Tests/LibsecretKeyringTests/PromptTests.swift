import CredentialCore
import Foundation
import LibsecretKeyring
import Testing

/// A keyring in front of a person, whose prompts are counted.
private final class Person {
    private(set) var prompts = 0
    var isInterrupting = false

    func keyring(prompt: Int = 120_000, silent: Int = 5_000) -> LibsecretKeyring {
        LibsecretKeyring(
            canPrompt: true, limits: limits(silent: silent, prompt: prompt), interrupted: { self.isInterrupting },
            willPrompt: { self.prompts += 1 })
    }
}

@Suite("Prompts")
struct PromptTests {
    @Test("an unlocked item comes back with its secret, and the person was told once")
    func unlock() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let service = try ScriptedService("unlocks")
            let person = Person()
            let keyring = person.keyring()
            let items = try keyring.items(having: try attributes("scripted.example"))
            #expect(items.map(\.isLocked) == [true])
            #expect(person.prompts == 0)
            let unlocked = try keyring.unlock(items)
            #expect(unlocked.map(\.secret) == [secret("token")])
            #expect(unlocked.map(\.path) == items.map(\.path))
            #expect(person.prompts == 1)
            let calls = try service.stop()
            #expect(calls.first == "GetAll")
            #expect(calls.filter { $0 == "Prompt" }.count == 1)
        }
    }

    @Test(
        "a prompt that is closed says so at once, and a service that only claims to unlock leaves things locked",
        arguments: [("dismisses", true), ("dismisses-bare", true), ("still-locked", false)])
    func refusals(mode: String, isDismissed: Bool) async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) {
            [
                environment = session.environment as SessionEnvironment, mode = mode as String,
                isDismissed = isDismissed as Bool
            ] in
            environment.enter()
            let service = try ScriptedService(mode)
            let keyring = Person().keyring()
            let expected: KeyringError = isDismissed ? .dismissed : .locked
            let items = try keyring.items(having: try attributes("scripted.example"))
            let elapsed = milliseconds {
                #expect(throws: expected) { try keyring.unlock(items) }
                #expect(throws: expected) { try keyring.checkWritable(mayPrompt: true) }
            }
            #expect(elapsed < 4_000)
            _ = try service.stop()
        }
    }

    @Test("a prompt has its own deadline; one that ignores everything ends there, and with it all further calls")
    func neverCompletes() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let service = try ScriptedService("never")
            let person = Person()
            let keyring = person.keyring(prompt: 2_000, silent: 1_000)
            let attributes = try attributes("scripted.example")
            let items = try keyring.items(having: attributes)
            let elapsed = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 2)) { try keyring.unlock(items) }
            }
            #expect((2_000..<3_000).contains(elapsed))
            let after = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 2)) { try keyring.items(having: attributes) }
            }
            print("a prompt of two seconds: given up after \(elapsed) ms, then \(after) ms")
            #expect(after < 50)
            #expect(person.prompts == 1)
            #expect(try service.stop().contains("Dismiss"))
        }
        tell(result)
    }

    @Test("an interruption takes the prompt off the screen, and the keyring can still be used")
    func interruptedPrompt() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let service = try ScriptedService("slow-dismiss")
            let person = Person()
            let attributes = try attributes("scripted.example")
            // Ctrl-C as soon as the person has been told of the prompt.
            let keyring = LibsecretKeyring(
                canPrompt: true, interrupted: { person.isInterrupting }, willPrompt: { person.isInterrupting = true })
            let items = try keyring.items(having: attributes)
            let elapsed = milliseconds {
                #expect(throws: KeyringError.interrupted) { try keyring.unlock(items) }
            }
            #expect(elapsed < 500)
            person.isInterrupting = false
            #expect(try keyring.items(having: attributes).map(\.isLocked) == [true])
            #expect(try service.stop().contains("Dismiss"))
        }
    }

    @Test("a default collection is made where there is none, and nothing is saved if the person will not have it")
    func creation() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let refusing = try ScriptedService("no-collection")
            let person = Person()
            #expect(throws: KeyringError.noCollection) { try headlessKeyring().checkWritable(mayPrompt: true) }
            #expect(throws: KeyringError.noCollection) { try person.keyring().checkWritable(mayPrompt: false) }
            #expect(person.prompts == 0)
            #expect(throws: KeyringError.dismissed) { try person.keyring().checkWritable(mayPrompt: true) }
            #expect(person.prompts == 1)
            _ = try refusing.stop()

            let making = try ScriptedService("makes-one")
            let keyring = person.keyring()
            try keyring.checkWritable(mayPrompt: true)
            #expect(person.prompts == 2)
            try keyring.save(secret("new"), under: try attributes("new.example"))
            _ = try making.stop()
        }
    }

    @Test("saving and removing go through prompts that complete by themselves, without a word to the person")
    func incidentalPrompts() async throws {
        let session = try PrivateSession.withoutKeyring("no-provider")
        await #expect(processExitsWith: .success) { [environment = session.environment as SessionEnvironment] in
            environment.enter()
            let service = try ScriptedService("by-prompt")
            let person = Person()
            for keyring in [person.keyring(), headlessKeyring()] {
                let attributes = try attributes("new.example")
                try keyring.save(secret("new"), under: attributes)
                let items = try keyring.items(having: attributes)
                #expect(items.map(\.secret) == [secret("new")])
                try keyring.remove(try #require(items.first))
                #expect(try keyring.items(having: attributes).isEmpty)
            }
            #expect(person.prompts == 0)
            #expect(try service.stop().filter { $0 == "Prompt" }.count == 4)
        }
    }
}
