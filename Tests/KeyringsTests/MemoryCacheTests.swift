import CredentialCore
import Staging
import Testing

@testable import Keyrings

@Suite("git's credential cache as a keyring")
struct MemoryCacheTests {
    @Test("replaces an item only if its secret is still the one that was read")
    func replaced() async throws {
        let session = try await Session(.noBus)
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try expectReplacement(in: MemoryCache(locks: NoLocks()))
        }
    }

    @Test("changes nothing if another process changes the entry for too long")
    func heldTooLong() async throws {
        let session = try await Session(.noBus)
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let cache = MemoryCache(locks: NoLocks(error: .timedOut))
            let attributes = try attributes("ghe.example")
            #expect(throws: KeyringError.unresponsive(seconds: 5)) {
                try cache.save(secret("first"), under: attributes)
            }
            #expect(try cache.items(having: attributes).isEmpty)
        }
    }
}

/// Locks that cannot be taken, so that only the comparison protects an item.
private struct NoLocks: Locks {
    var error = LockError.impossible

    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock { throw error }

    func secondsSinceGivingUp(_ name: LockName) -> Int64? { nil }
}

@Suite("Entries of git's credential cache")
struct CacheEntryTests {
    private let first = "user=6d6f6e61,protocol=6874747073,server=6768652e74657374,67686f5f78;"
    private let second = "user=,object=61,protocol=6874747073,server=6768652e74657374,port=38343433,79;"

    private func entry(_ line: String) -> CacheEntry { CacheEntry(parsing: Array(line.utf8)[...]) }

    @Test("reads back what it writes, in order, with the account in its own place")
    func written() throws {
        var entry = entry(first + second)
        #expect(entry.items.map(\.created) == [1, 2] && entry.items.map(\.secret) == [secret("gho_x"), secret("y")])
        entry.put(secret("new"), under: try attributes("ghe.test", user: "mona"))
        let again = CacheEntry(parsing: entry.encoded.reveal { Array($0) }[...])
        #expect(again.items.map(\.attributes) == entry.items.map(\.attributes))
        #expect(again.items.map(\.secret) == [secret("new"), secret("y")])
        entry.put(secret("z"), under: try attributes("ghe.test", user: "hubot"))
        #expect(entry.items.map(\.secret) == [secret("new"), secret("y"), secret("z")])
    }

    @Test("no copy of a secret is left of an entry that was written and read")
    func copies() throws {
        let attributes = try attributes("ghe.test", user: "mona")
        let trace = SecretTrace()
        let copies = trace.copiesAfter {
            var entry = CacheEntry()
            entry.put(trace.secret, under: attributes)
            let again = entry.encoded.reveal { CacheEntry(parsing: $0) }
            #expect(again.items.first?.secret?.count == SecretTrace.length)
        }
        #expect(copies == 0)
    }

    @Test(
        "skips entries in another format, and entries that no request could find",
        arguments: ["x", ";;", "=", ",", ",;", "79;", "color=79,79;", "user=6g,79;", "user=6d,7;", "user,79;"])
    func skipped(other: String) { #expect(entry(first + other + ";" + second).items.count == 2) }
}
