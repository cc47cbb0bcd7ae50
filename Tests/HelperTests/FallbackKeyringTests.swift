import TestSupport
import Testing

@Suite("The keyring and its fallback in memory")
struct FallbackKeyringTests {
    private let keyring = InMemoryKeyring()
    private let cache = InMemoryKeyring(storage: .memory)
    private let locks = ScriptedLocks()
    private let attributes = ItemAttributes(
        protocol: Array("https".utf8), host: HostName(name: "h"), user: Array("u".utf8))

    private func chosen(_ choice: SignInSettings.CredentialStore = .auto) -> FallbackKeyring {
        FallbackKeyring(keyring, else: cache, locks: locks) { choice }
    }

    @Test("uses the keyring, and asks the cache only whether it has something")
    func usual() throws {
        let chosen = chosen()
        try chosen.checkWritable(mayPrompt: true)
        #expect(cache.calls.isEmpty)
        try chosen.save(Secret("p"), under: attributes)
        #expect(try chosen.items(having: attributes).count == 1)
        #expect(chosen.storage == .keyring && Set(cache.calls) == [.items] && chosen.absence == nil)
    }

    @Test("calls no cache of git and reads no setting after a save, a removal or a miss while no cache runs")
    func noMemory() throws {
        cache.put(Secret("other"), under: other)
        var reads = 0
        let chosen = FallbackKeyring(keyring, else: cache, locks: locks, mayBeChosen: { false }, hasMemory: { false }) {
            reads += 1
            return .auto
        }
        try chosen.save(Secret("p"), under: attributes)
        try keyring.items.forEach(chosen.remove)
        #expect(try chosen.items(having: attributes).isEmpty && cache.calls.isEmpty && reads == 1)
    }

    @Test(
        "uses the cache without another attempt if there is no keyring", arguments: [KeyringError.noBus, .noProvider])
    func absent(error: KeyringError) throws {
        keyring.fault = error
        let chosen = chosen()
        try chosen.checkWritable(mayPrompt: true)
        try chosen.save(Secret("p"), under: attributes)
        #expect(try chosen.items(having: attributes).count == 1)
        #expect(chosen.storage == .memory && keyring.calls.count == 1 && chosen.absence == error)
    }

    @Test(
        "finds, replaces and removes an item in memory if the keyring has no collection",
        arguments: [KeyringError.noCollection, .notReady])
    func noCollection(error: KeyringError) throws {
        keyring.writeFault = error
        let chosen = chosen()
        try chosen.checkWritable(mayPrompt: true)
        try chosen.save(Secret("p"), under: attributes)
        #expect(chosen.storage == .memory && chosen.absence == error)
        // The next process sees only an empty keyring.
        let next = self.chosen()
        let found = try next.items(having: attributes)
        #expect(found.map { $0.secret?.text } == ["p"])
        #expect(try next.replace(found[0], with: Secret("q")))
        #expect(cache.items.map { $0.secret?.text } == ["q"] && keyring.items.isEmpty)
        try next.remove(found[0])
        #expect(try next.items(having: attributes).isEmpty && !keyring.calls.contains(.remove))
    }

    private var other: ItemAttributes {
        var other = attributes
        other.user = Array("v".utf8)
        return other
    }

    @Test("finds and replaces an item in memory after a collection appears, and removes both")
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

    @Test("finds an account in memory beside another one in the keyring, and not beside itself")
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

    @Test("moves items from memory into a working keyring, but not a token during its refresh, and loses none")
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
        keyring.saveFault = .locked
        #expect(chosen().bringFromMemory(of: host).isEmpty && cache.items.count == 2)
        keyring.saveFault = nil
        #expect(chosen().bringFromMemory(of: host) == [Array("u".utf8)])
        #expect(
            keyring.items.map { $0.secret?.text } == ["newer", "before"] && cache.items.map(\.attributes) == [other])
        #expect(chosen().bringFromMemory(of: HostName(name: "i")).isEmpty && locks.held == 0)
    }

    @Test("moves the host's other items from memory when it saves one, so that no account hides another")
    func broughtAlong() throws {
        keyring.writeFault = .noCollection
        let chosen = chosen()
        let third = ItemAttributes(protocol: Array("https".utf8), host: HostName(name: "third"))
        for attributes in [attributes, other, third] { try chosen.save(Secret("before"), under: attributes) }
        keyring.writeFault = nil
        // A token that is being refreshed stays where it is.
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

    @Test("saves an item in memory again if the keyring rejects it, because its refresh token is spent")
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

    @Test("does not overwrite a newer item in the keyring with one from memory")
    func notBroughtAlong() throws {
        cache.put(Secret("older"), under: other)
        keyring.put(Secret("newer"), under: other)
        try chosen().save(Secret("p"), under: attributes)
        #expect(keyring.items.map { $0.secret?.text } == ["newer", "p"])
    }

    @Test("treats an empty keyring as empty if the cache is unusable, and replaces nothing if the cache is also chosen")
    func unusableCache() throws {
        cache.fault = .noProvider
        #expect(try chosen().items(having: attributes).isEmpty)
        #expect(throws: KeyringError.noProvider) { try chosen(.cache).items(having: attributes) }
        keyring.put(Secret("p"), under: attributes)
        // The new pair of a refresh would go to the cache.
        let included = FallbackKeyring(keyring, else: cache, mayBeChosen: { false }) { .cache }
        #expect(throws: KeyringError.noProvider) { try included.replace(keyring.items[0], with: Secret("q")) }
        let next = self.chosen()
        try next.remove(try #require(try next.items(having: attributes).first))
        #expect(keyring.items.isEmpty)
    }

    @Test(
        "keeps a locked, slow or refusing keyring as the place for items",
        arguments: [KeyringError.locked, .dismissed, .unresponsive(seconds: 5), .denied, .disconnected])
    func unwilling(error: KeyringError) {
        keyring.fault = error
        let chosen = chosen()
        #expect(throws: error) { try chosen.items(having: attributes) }
        #expect(throws: error) { try chosen.save(Secret("p"), under: attributes) }
        #expect(chosen.storage == .keyring && !cache.calls.contains(.save))
    }

    @Test("fails with gitspaceStore=secretservice if there is no keyring")
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

    @Test("never calls the keyring with gitspaceStore=cache, unless a file has it that was not read before")
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
        keyring.fault = .denied
        let included = FallbackKeyring(keyring, else: cache, mayBeChosen: { false }) { .cache }
        try included.save(Secret("p"), under: attributes)
        #expect(try included.items(having: attributes).count == 1 && included.absence == nil)
    }

    private func undecided() -> FallbackKeyring {
        FallbackKeyring(keyring, else: cache) { () throws(ConfigurationError) in throw .failed }
    }

    @Test("refuses to save a new item if the setting for the store cannot be read")
    func undecidedSave() throws {
        let chosen = undecided()
        #expect(throws: KeyringError.unconfigured(.failed)) { try chosen.save(Secret("p"), under: attributes) }
        #expect(throws: KeyringError.unconfigured(.failed)) { try chosen.checkWritable(mayPrompt: true) }
        keyring.fault = .noBus
        #expect(throws: KeyringError.unconfigured(.failed)) { try undecided().save(Secret("p"), under: attributes) }
        #expect(keyring.items.isEmpty && cache.items.isEmpty)
    }

    @Test("finds, replaces and removes an item in either store if the setting cannot be read")
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
        "does not use git's cache if git does not answer", arguments: [ConfigurationError.noGit, .timedOut(seconds: 5)])
    func noGit(error: ConfigurationError) throws {
        let chosen = FallbackKeyring(keyring, else: cache) { () throws(ConfigurationError) in throw error }
        #expect(try chosen.items(having: attributes).isEmpty)
        #expect(throws: KeyringError.unconfigured(error)) { try chosen.save(Secret("p"), under: attributes) }
        #expect(cache.calls.isEmpty)
    }
}
