import CredentialCore
import Helper
import Messages
import TestSupport
import Testing

@Suite("The keyring, or what takes its place")
struct FallbackKeyringTests {
    private let keyring = InMemoryKeyring()
    private let cache = InMemoryKeyring(storage: .memory)
    private let locks = ScriptedLocks()
    private let attributes = ItemAttributes(
        protocol: Array("https".utf8), host: HostName(name: "h"), user: Array("u".utf8))

    private func chosen(_ choice: SignInSettings.CredentialStore = .auto) -> FallbackKeyring {
        FallbackKeyring(keyring, else: cache, locks: locks) { choice }
    }

    @Test("the keyring is the place, and the cache is asked only whether it has something")
    func usual() throws {
        let chosen = chosen()
        try chosen.checkWritable(mayPrompt: true)
        #expect(cache.calls.isEmpty)
        try chosen.save(Secret("p"), under: attributes)
        #expect(try chosen.items(having: attributes).count == 1)
        #expect(chosen.storage == .keyring && Set(cache.calls) == [.items] && chosen.absence == nil)
    }

    @Test(
        "where there is no keyring at all, the cache is the place, without another attempt",
        arguments: [
            KeyringError.noBus, .noProvider,
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
        "where the keyring has no collection, what is saved in memory is found, replaced and removed there",
        arguments: [KeyringError.noCollection, .notReady])
    func noCollection(error: KeyringError) throws {
        keyring.writeFault = error
        let chosen = chosen()
        try chosen.checkWritable(mayPrompt: true)
        try chosen.save(Secret("p"), under: attributes)
        #expect(chosen.storage == .memory && chosen.absence == error)
        // The next process finds nothing wrong with an empty keyring.
        let next = self.chosen()
        let found = try next.items(having: attributes)
        #expect(found.map { $0.secret?.text } == ["p"])
        #expect(try next.replace(found[0], with: Secret("q")))
        #expect(cache.items.map { $0.secret?.text } == ["q"] && keyring.items.isEmpty)
        try next.remove(found[0])
        #expect(try next.items(having: attributes).isEmpty && !keyring.calls.contains(.remove))
    }

    /// Of another account of the same host.
    private var other: ItemAttributes {
        var other = attributes
        other.user = Array("v".utf8)
        return other
    }

    @Test("what memory has is found and replaced there once there is a collection, and removed with the new one")
    func madeLater() throws {
        keyring.writeFault = .noCollection
        let chosen = chosen()
        try chosen.save(Secret("before"), under: attributes)
        keyring.writeFault = nil
        let found = try chosen.items(having: attributes)
        #expect(found.map { $0.secret?.text } == ["before"])
        #expect(try chosen.replace(found[0], with: Secret("renewed")))
        #expect(cache.items.map { $0.secret?.text } == ["renewed"] && keyring.items.isEmpty)
        keyring.put(Secret("of another program"), under: attributes)
        try chosen.remove(try #require(try chosen.items(having: attributes).first))
        #expect(keyring.items.isEmpty && cache.items.isEmpty)
    }

    @Test("an account in memory is found beside another one in the keyring, and not beside itself")
    func beside() throws {
        cache.put(Secret("in memory"), under: attributes)
        keyring.put(Secret("in the keyring"), under: other)
        let host = ItemAttributes(protocol: Array("https".utf8), host: HostName(name: "h"))
        func found(_ choice: SignInSettings.CredentialStore = .auto) throws -> [String?] {
            try chosen(choice).items(having: host).map { $0.secret?.text }
        }
        #expect(try found() == ["in the keyring", "in memory"])
        #expect(try found(.secretservice) == ["in the keyring"])
        keyring.put(Secret("newer"), under: attributes)
        #expect(try found() == ["in the keyring", "newer"])
        cache.fault = .noProvider
        #expect(try found() == ["in the keyring", "newer"])
    }

    @Test("what memory has is moved once the keyring takes it, but not a token that is being refreshed")
    func moved() throws {
        let host = HostName(name: "h")
        for attributes in [attributes, other] { cache.put(Secret("before"), under: attributes) }
        keyring.put(Secret("newer"), under: other)
        keyring.writeFault = .noCollection
        #expect(chosen().bringFromMemory(of: host).isEmpty)
        keyring.writeFault = nil
        #expect(chosen(.secretservice).bringFromMemory(of: host).isEmpty)
        locks.isTakenAtOnce = true
        #expect(chosen().bringFromMemory(of: host).isEmpty)
        locks.isTakenAtOnce = false
        #expect(chosen().bringFromMemory(of: host) == [Array("u".utf8)])
        #expect(
            keyring.items.map { $0.secret?.text } == ["newer", "before"] && cache.items.map(\.attributes) == [other])
        #expect(chosen().bringFromMemory(of: HostName(name: "i")).isEmpty && locks.held == 0)
    }

    @Test("what is saved brings along what memory has for its host: no account is hidden behind another one")
    func broughtAlong() throws {
        keyring.writeFault = .noCollection
        let chosen = chosen()
        let third = ItemAttributes(protocol: Array("https".utf8), host: HostName(name: "third"))
        for attributes in [attributes, other, third] { try chosen.save(Secret("before"), under: attributes) }
        keyring.writeFault = nil
        // One that is being refreshed stays where it is.
        locks.isTakenAtOnce = true
        try chosen.save(Secret("first"), under: attributes)
        #expect(cache.items.map(\.attributes) == [other, third] && keyring.items.count == 1)
        locks.isTakenAtOnce = false
        try chosen.save(Secret("after"), under: attributes)
        #expect(chosen.storage == .keyring && chosen.absence == nil)
        #expect(keyring.items.map(\.attributes) == [attributes, other])
        #expect(keyring.items.map { $0.secret?.text } == ["after", "before"])
        #expect(cache.items.map(\.attributes) == [third] && locks.held == 0)
    }

    @Test("what was found in memory is kept there if the keyring does not take it: a refresh token is spent by then")
    func keptInMemory() throws {
        cache.put(Secret("before"), under: attributes)
        keyring.saveFault = .locked
        let chosen = chosen()
        try chosen.save(Secret("renewed"), under: attributes)
        #expect(cache.items.map { $0.secret?.text } == ["renewed"])
        #expect(throws: KeyringError.locked) { try chosen.save(Secret("p"), under: other) }
        keyring.saveFault = nil
        try chosen.save(Secret("again"), under: attributes)
        #expect(keyring.items.map { $0.secret?.text } == ["again"] && cache.items.isEmpty)
    }

    @Test("what the keyring has already is not overwritten with what memory has")
    func notBroughtAlong() throws {
        cache.put(Secret("older"), under: other)
        keyring.put(Secret("newer"), under: other)
        try chosen().save(Secret("p"), under: attributes)
        #expect(keyring.items.map { $0.secret?.text } == ["newer", "p"])
    }

    @Test("an empty keyring is empty where git's cache cannot be used, and nobody has chosen it")
    func unusableCache() throws {
        cache.fault = .noProvider
        #expect(try chosen().items(having: attributes).isEmpty)
        #expect(throws: KeyringError.noProvider) { try chosen(.cache).items(having: attributes) }
        keyring.put(Secret("p"), under: attributes)
        let next = self.chosen()
        try next.remove(try #require(try next.items(having: attributes).first))
        #expect(keyring.items.isEmpty)
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
        #expect(chosen.storage == .keyring && !cache.calls.contains(.save))
    }

    @Test("who wants the keyring or nothing gets nothing where there is none")
    func secretServiceOnly() throws {
        keyring.fault = .noBus
        let chosen = chosen(.secretservice)
        #expect(throws: KeyringError.noBus) { try chosen.checkWritable(mayPrompt: true) }
        keyring.fault = nil
        keyring.writeFault = .noCollection
        #expect(try chosen.items(having: attributes).isEmpty)
        #expect(throws: KeyringError.noCollection) { try chosen.save(Secret("p"), under: attributes) }
        #expect(cache.calls.isEmpty)
    }

    @Test("with gitspaceStore=cache the keyring is never asked, whatever it has")
    func cacheOnly() throws {
        keyring.put(Secret("old"), under: attributes)
        keyring.fault = .foreignBus(.address("tcp:"))
        let chosen = chosen(.cache)
        try chosen.checkWritable(mayPrompt: true)
        try chosen.save(Secret("new"), under: attributes)
        #expect(cache.items.count == 1 && chosen.storage == .memory && chosen.absence == nil)
        let found = try chosen.items(having: attributes)
        #expect(found.map { $0.secret?.text } == ["new"])
        try chosen.remove(try #require(found.first))
        #expect(try chosen.items(having: attributes).isEmpty && keyring.calls.isEmpty)
    }

    @Test("a keyring that fails makes way for gitspaceStore=cache in a file that was not looked into")
    func includedChoice() throws {
        keyring.fault = .denied
        let chosen = FallbackKeyring(keyring, else: cache, mayBeChosen: { false }) { .cache }
        try chosen.save(Secret("p"), under: attributes)
        #expect(try chosen.items(having: attributes).count == 1 && chosen.absence == nil)
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
