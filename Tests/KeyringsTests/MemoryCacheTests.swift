import CredentialCore
import Keyrings
import Staging
import Testing

@Suite("git's credential cache as a keyring")
struct MemoryCacheTests {
    @Test("replaces an item only if its secret is still the one that was read")
    func replaced() async throws {
        let session = try await Session(.noBus)
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let cache = MemoryCache(locks: NoLocks())
            let attributes = try attributes("ghe.example")
            try cache.save(secret("first"), under: attributes)
            let read = try #require(cache.items(having: attributes).first)
            #expect(try cache.replace(read, with: secret("second")))
            // Another process has replaced the item that was read.
            #expect(try !cache.replace(read, with: secret("third")))
            #expect(try cache.items(having: attributes).map(\.secret) == [secret("second")])
            try cache.remove(read)
            #expect(try !cache.replace(read, with: secret("fourth")))
            #expect(try cache.items(having: attributes).isEmpty)
        }
    }
}

/// Locks that cannot be taken, so that only the comparison protects an item.
private struct NoLocks: Locks {
    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock { throw .impossible }

    func secondsSinceGivingUp(_ name: LockName) -> Int64? { nil }
}
