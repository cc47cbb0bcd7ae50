import CredentialCore
import Helper
import Messages
import TestSupport
import Testing

@Suite("The keyring, or what takes its place")
struct FallbackKeyringTests {
    private let keyring = InMemoryKeyring()
    private let cache = InMemoryKeyring(storage: .memory)
    private let attributes = ItemAttributes(
        protocol: Array("https".utf8), host: HostName(name: "h"), user: Array("u".utf8))

    private func chosen(_ choice: SignInSettings.CredentialStore = .auto) -> FallbackKeyring {
        FallbackKeyring(keyring, else: cache) { choice }
    }

    @Test("the keyring is the place, and the cache is not asked")
    func usual() throws {
        let chosen = chosen()
        try chosen.checkWritable(mayPrompt: true)
        try chosen.save(Secret("p"), under: attributes)
        #expect(try chosen.items(having: attributes).count == 1)
        #expect(chosen.storage == .keyring && cache.calls.isEmpty && chosen.absence == nil)
    }

    @Test(
        "where there is no keyring at all, the cache is the place, without another attempt",
        arguments: [
            KeyringError.noBus, .noProvider, .noCollection,
        ])
    func absent(error: KeyringError) throws {
        keyring.fault = error
        let chosen = chosen()
        try chosen.checkWritable(mayPrompt: true)
        try chosen.save(Secret("p"), under: attributes)
        #expect(try chosen.items(having: attributes).count == 1)
        #expect(chosen.storage == .memory && keyring.calls.count == 1 && chosen.absence == error)
    }

    @Test(
        "one that is locked, slow or unwilling stays the place",
        arguments: [
            KeyringError.locked, .dismissed, .unresponsive(seconds: 5), .denied, .disconnected,
        ])
    func unwilling(error: KeyringError) {
        keyring.fault = error
        let chosen = chosen()
        #expect(throws: error) { try chosen.items(having: attributes) }
        #expect(throws: error) { try chosen.save(Secret("p"), under: attributes) }
        #expect(chosen.storage == .keyring && cache.calls.isEmpty)
    }

    @Test("who wants the keyring or nothing gets nothing where there is none")
    func secretServiceOnly() {
        keyring.fault = .noBus
        let chosen = chosen(.secretservice)
        #expect(throws: KeyringError.noBus) { try chosen.checkWritable(mayPrompt: true) }
        #expect(cache.calls.isEmpty)
    }

    @Test("who wants the cache gets it for what is new, and still finds what the keyring has")
    func cacheOnly() throws {
        let chosen = chosen(.cache)
        try chosen.save(Secret("new"), under: attributes)
        #expect(cache.items.count == 1 && keyring.items.isEmpty && chosen.storage == .memory)
        #expect(try chosen.items(having: attributes).first?.secret?.text == "new")
        keyring.put(Secret("old"), under: attributes)
        #expect(try chosen.items(having: attributes).first?.secret?.text == "old")
    }

    private func undecided() -> FallbackKeyring {
        FallbackKeyring(keyring, else: cache) { () throws(ConfigurationError) in throw .failed }
    }

    @Test("where the choice is not known, what is new has no place")
    func undecidedSave() throws {
        let chosen = undecided()
        #expect(throws: KeyringError.unconfigured(.failed)) { try chosen.save(Secret("p"), under: attributes) }
        #expect(throws: KeyringError.unconfigured(.failed)) { try chosen.checkWritable(mayPrompt: true) }
        keyring.fault = .noBus
        #expect(throws: KeyringError.unconfigured(.failed)) { try undecided().save(Secret("p"), under: attributes) }
        #expect(keyring.items.isEmpty && cache.items.isEmpty)
    }

    @Test("what lies in either place is found there, replaced there, and goes")
    func undecidedElse() throws {
        for place in [keyring, cache] {
            place.put(Secret("old"), under: attributes)
            let chosen = undecided()
            #expect(try chosen.items(having: attributes).first?.secret?.text == "old")
            try chosen.save(Secret("new"), under: attributes)
            #expect(place.items.map { $0.secret?.text } == ["new"])
            for item in place.items { try chosen.remove(item) }
            #expect(keyring.items.isEmpty && cache.items.isEmpty)
        }
    }

    @Test(
        "a git that does not answer is not asked for its cache either",
        arguments: [ConfigurationError.noGit, .timedOut(seconds: 5)])
    func noGit(error: ConfigurationError) throws {
        let chosen = FallbackKeyring(keyring, else: cache) { () throws(ConfigurationError) in throw error }
        #expect(try chosen.items(having: attributes).isEmpty)
        #expect(throws: KeyringError.unconfigured(error)) { try chosen.save(Secret("p"), under: attributes) }
        #expect(cache.calls.isEmpty)
    }
}
