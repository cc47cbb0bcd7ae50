import CredentialCore
import Keyrings
import Staging
import Testing

@Suite("Locked keyrings without a display")
struct LockedTests {
    @Test("finds locked items without their secrets, unlocks, writes and removes nothing, and asks nobody")
    func locked() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            func keyring(canPrompt: Bool) -> LibsecretKeyring {
                LibsecretKeyring(canPrompt: canPrompt, limits: limits(), willPrompt: { _ in Issue.record("a prompt") })
            }
            let saved = try attributes("ghe.example")
            try headlessKeyring().save(secret("token"), under: saved)
            try control("lock")
            let headless = keyring(canPrompt: false)
            let items = try headless.items(having: saved)
            #expect(items.map(\.isLocked) == [true] && items.first?.attributes == saved)
            #expect(try headless.items(having: try attributes("other.example")).isEmpty)
            // Everything is locked but the service's collection in memory.
            #expect(headless.namesOfLocked.isEmpty)
            #expect(throws: KeyringError.locked) { try headless.unlock(items) }
            #expect(throws: KeyringError.locked) { try headless.checkWritable(mayPrompt: true) }
            #expect(throws: KeyringError.locked) { try headless.save(secret("new"), under: saved) }
            #expect(throws: KeyringError.locked) {
                try headless.save(secret("new"), under: try attributes("new.example"))
            }
            #expect(throws: KeyringError.locked) { try headless.remove(try #require(items.first)) }
            // A display could show a prompt, but the caller forbids it.
            #expect(throws: KeyringError.locked) { try keyring(canPrompt: true).checkWritable(mayPrompt: false) }
            // Nor is a person asked at the terminal.
            let helped = LibsecretKeyring(
                canPrompt: false, limits: limits(),
                help: { _, failure, _ throws(KeyringError) in
                    Issue.record("a question")
                    throw failure
                })
            #expect(throws: KeyringError.locked) { try helped.checkWritable(mayPrompt: false) }
            try control("unlock")
            #expect(try headless.items(having: saved).first?.secret == secret("token"))
        }
    }
}

@Suite("Keyrings unlocked with their password")
struct UnlockTests {
    @Test("unlocks with the password and not with a wrong one, and keeps other programs' sessions")
    func opens() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            // The keyring of another program with its own session.
            let (other, saved) = try entered(environment)
            let password = try #require(getenv("KEYRING_PASSWORD").map { String(cString: $0) })
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
            let (keyring, saved) = try entered(environment)
            try control("delete-collection")
            #expect(throws: KeyringError.noCollection) { try keyring.locked(.forNewItems) }
            #expect(try keyring.locked(.all).isEmpty)
            try keyring.createCollection(with: secret("new"))
            #expect(try keyring.locked(.forNewItems).isEmpty)
            try keyring.save(secret("token"), under: saved)
            try control("lock")
            let login = try #require(try keyring.locked(.forNewItems).first)
            #expect(try keyring.unlock(login, with: secret("new")))
            #expect(try keyring.items(having: saved).first?.secret == secret("token"))
        }
    }

    @Test("names and unlocks the one of three collections that has the item, not the default one")
    func second() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let password = try #require(getenv("KEYRING_PASSWORD").map { String(cString: $0) })
            let saved = try attributes("ghe.example")
            // The path of one collection begins with the other's.
            try control("create-collection", "work")
            try control("lock")
            try control("create-collection", "work2")
            try headlessKeyring().save(secret("token"), under: saved)
            try control("lock")
            try control("make-default", "login")
            // The service reads the file again, and then hides its items, as after each log-in.
            let file = try sessionHome().appending(path: ".local/share/keyrings/work2.keyring")
            try FileManager.default.setAttributes(
                [.modificationDate: Date.now.addingTimeInterval(60)], ofItemAtPath: file.path)
            let keyring = headlessKeyring()
            let items = try keyring.items(having: saved)
            #expect(items.map(\.isLocked) == [true])
            #expect(try keyring.locked(.forNewItems).isEmpty)
            let work = LockedCollection(path: "/org/freedesktop/secrets/collection/work2", name: "work2")
            #expect(try keyring.locked(.holding(items)) == [work])
            #expect(try keyring.locked(.all) == [work])
            #expect(keyring.namesOfLocked == ["work2"])
            var places: [[LockedCollection]] = []
            let asking = LibsecretKeyring(
                canPrompt: false, limits: limits(),
                help: { keyring, failure, selection throws(KeyringError) in
                    places.append(try keyring.locked(selection))
                    throw failure
                })
            #expect(throws: KeyringError.locked) { try asking.save(secret("new"), under: saved) }
            #expect(throws: KeyringError.locked) { try asking.unlock(items) }
            #expect(places == [[work], [work]])
            #expect(try keyring.unlock(work, with: secret(password)))
            #expect(try keyring.readUnlocked(items).map(\.secret) == [secret("token")])
            #expect(try keyring.locked(.all).isEmpty && keyring.namesOfLocked.isEmpty)
        }
    }
}

private final class PromptCounter {
    private(set) var prompts = 0

    func keyring(prompt: Int = 7_200_000) -> LibsecretKeyring {
        LibsecretKeyring(canPrompt: true, limits: limits(prompt: prompt), willPrompt: { _ in self.prompts += 1 })
    }
}

@Suite("Prompts")
struct PromptTests {
    @Test("returns an unlocked item with its secret, and tells the person once")
    func unlock() async throws {
        let (environment, service) = try await scripted("unlocks")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let counter = PromptCounter()
            let keyring = counter.keyring()
            let items = try keyring.items(having: try attributes(ScriptedBusService.host))
            #expect(items.map(\.isLocked) == [true])
            #expect(counter.prompts == 0)
            let unlocked = try keyring.unlock(items)
            #expect(unlocked.map(\.secret) == [secret("token")] && unlocked.map(\.path) == items.map(\.path))
            #expect(counter.prompts == 1)
        }
        #expect(service.calls.first == "GetAll")
        #expect(service.calls.count { $0 == "Prompt" } == 1)
    }

    @Test("unlocks an item for a new secret, and another program's item for its own", arguments: [true, false])
    func unlockedOnDemand(isSave: Bool) async throws {
        let (environment, service) = try await scripted("unlocks")
        await #expect(processExitsWith: .success) {
            [environment = environment as [String: String], isSave = isSave as Bool] in
            Session.enter(environment)
            let counter = PromptCounter()
            let keyring = counter.keyring()
            if isSave {
                let known = try attributes(ScriptedBusService.host)
                try keyring.save(secret("new"), under: known)
                #expect(try keyring.items(having: known).map(\.secret) == [secret("new")])
            } else {
                let found = try keyring.foreignItems(having: [("server", Array(ScriptedBusService.host.utf8))])
                #expect(found.map(\.secret) == [secret("token")])
            }
            #expect(counter.prompts == 1)
        }
        #expect(service.calls.count { $0 == "Prompt" } == 1)
    }

    @Test(
        "reports a closed prompt at once, and a false report of success as still locked",
        arguments: [("dismisses", true), ("dismisses-bare", true), ("still-locked", false)])
    func refusals(mode: String, isDismissed: Bool) async throws {
        let (environment, service) = try await scripted(mode)
        await #expect(processExitsWith: .success) {
            [environment = environment as [String: String], isDismissed = isDismissed as Bool] in
            Session.enter(environment)
            let keyring = PromptCounter().keyring()
            let expected: KeyringError = isDismissed ? .dismissed : .locked
            let items = try keyring.items(having: try attributes(ScriptedBusService.host))
            // libsecret itself would wait for the second of the three until the prompt's limit.
            #expect(throws: expected) { try keyring.unlock(items) }
            #expect(throws: expected) { try keyring.checkWritable(mayPrompt: true) }
        }
        #expect(service.calls.contains("Unlock"))
    }

    @Test("ends a prompt that ignores everything at its own time limit, and then fails all calls")
    func neverCompletes() async throws {
        let (environment, service) = try await scripted("never")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let counter = PromptCounter()
            let keyring = counter.keyring(prompt: 2_000)
            let attributes = try attributes(ScriptedBusService.host)
            let items = try keyring.items(having: attributes)
            let elapsed = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 2)) { try keyring.unlock(items) }
            }
            #expect(elapsed >= 2_000)
            #expect(throws: KeyringError.unresponsive(seconds: 2)) { try keyring.items(having: attributes) }
            #expect(counter.prompts == 1)
        }
        // The last call that the service gets; after giving up, we send nothing. Another program's call arrives after
        // all of ours.
        let question = ["--dest", "org.freedesktop.secrets", "--object-path", "/org/freedesktop/secrets"]
        let method = ["--method", "org.freedesktop.Secret.Service.ReadAlias", "later"]
        let end = try RunningProgram.run(
            ["gdbus", "call", "--session", "--timeout", "120"] + question + method, environment: environment)
        #expect(end.status == 0, "\(end.errors)")
        #expect(service.calls.suffix(2) == ["Dismiss", "ReadAlias later"])
    }

    @Test("dismisses the prompt at an interruption, and can still use the keyring")
    func interruptedPrompt() async throws {
        let (environment, service) = try await scripted("slow-dismiss")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            var isInterrupting = false
            let attributes = try attributes(ScriptedBusService.host)
            // Interrupts as soon as the person has been told of the prompt.
            let keyring = LibsecretKeyring(
                canPrompt: true, limits: limits(), interrupted: { isInterrupting },
                willPrompt: { _ in isInterrupting = true })
            let items = try keyring.items(having: attributes)
            #expect(throws: KeyringError.interrupted) { try keyring.unlock(items) }
            isInterrupting = false
            #expect(try keyring.items(having: attributes).map(\.isLocked) == [true])
        }
        #expect(service.calls.contains("Dismiss"))
    }

    @Test("saves nothing if there is no default collection and the person declines one")
    func refusedCreation() async throws {
        let (environment, service) = try await scripted("no-collection")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let counter = PromptCounter()
            #expect(throws: KeyringError.noCollection) { try headlessKeyring().createCollection() }
            #expect(throws: KeyringError.noCollection) { try counter.keyring().checkWritable(mayPrompt: true) }
            #expect(counter.prompts == 0)
            #expect(throws: KeyringError.dismissed) { try counter.keyring().createCollection() }
            #expect(counter.prompts == 1)
        }
        #expect(service.calls.count { $0 == "CreateCollection" } == 1)
    }

    @Test("creates a missing default collection if the person agrees")
    func creation() async throws {
        let (environment, service) = try await scripted("makes-one")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let counter = PromptCounter()
            let keyring = counter.keyring()
            try keyring.createCollection()
            #expect(counter.prompts == 1)
            try keyring.save(secret("new"), under: try attributes("new.example"))
        }
        #expect(service.calls.contains("CreateItem"))
    }

    @Test("saves and removes through prompts that complete by themselves, without telling the person")
    func incidentalPrompts() async throws {
        let (environment, service) = try await scripted("by-prompt")
        await #expect(processExitsWith: .success) { [environment = environment as [String: String]] in
            Session.enter(environment)
            let counter = PromptCounter()
            for keyring in [counter.keyring(), headlessKeyring()] {
                let attributes = try attributes("new.example")
                try keyring.save(secret("new"), under: attributes)
                let items = try keyring.items(having: attributes)
                #expect(items.map(\.secret) == [secret("new")])
                try keyring.remove(try #require(items.first))
                #expect(try keyring.items(having: attributes).isEmpty)
            }
            #expect(counter.prompts == 0)
        }
        #expect(service.calls.count { $0 == "Prompt" } == 4)
    }
}
