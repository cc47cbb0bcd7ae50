import CredentialCore
import Synchronization
import Testing

@testable import FrontDoor

@Suite("Order of the calls to a keyring")
struct OrderTests {
    @Test("waits for the answer to a harmless first call, and makes five calls in all")
    func order() throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring().answer(to: $0)) }
        let (ending, items, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .items(1))
        #expect(
            bus.names == ["Hello", "Get Collections", "OpenSession", "SearchItems", "GetSecrets", "Get Attributes"])
        #expect(!bus.wasHurried)
        #expect(items.first?.secret?.reveal { $0.elementsEqual("token".utf8) } == true)
        #expect(items.first?.attributes.user == Array("octocat".utf8))
    }

    @Test("searches only after a collection is known to be unlocked, if every collection can be locked")
    func asksWhetherLocked() throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring(isLocked: false).answer(to: $0)) }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .items(1))
        #expect(bus.names.prefix(4) == ["Hello", "Get Collections", "Get Locked", "OpenSession"])
        #expect(!bus.wasHurried)
    }

    @Test("leaves a locked keyring unsearched, since KeePassXC would open a dialog")
    func locked() throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring(isLocked: true).answer(to: $0)) }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .aside(.locked))
        #expect(bus.names == ["Hello", "Get Collections", "Get Locked"])
    }

    @Test("requests no secret if nothing is found")
    func miss() throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring(count: 0).answer(to: $0)) }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .items(0))
        #expect(bus.names.last == "SearchItems")
    }

    @Test("reads up to sixteen items, and leaves more to the full program", arguments: [2, 16, 17])
    func several(count: Int) throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring(count: count).answer(to: $0)) }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == (count <= 16 ? .items(count) : .aside(.ambiguous)))
    }

    @Test("accepts answers in any order", arguments: [1, 3])
    func anyOrder(count: Int) throws {
        let keyring = ScriptedKeyring(count: count)
        let held = Mutex<[UInt8]>([])
        // Calls that were sent together are answered together, in reverse order.
        let last = count == 1 ? "Get Attributes" : "Get Created"
        let asked = Mutex(0)
        let bus = try ScriptedBus { call in
            if call.name == "Get Collections" { return .send(keyring.answer(to: call)) }
            held.withLock { $0 = keyring.answer(to: call).bytes + $0 }
            let isLast =
                call.name == "SearchItems"
                || call.name == last
                    && asked.withLock {
                        $0 += 1; return $0 == count
                    }
            guard isLast else { return .nothing }
            return .send(
                held.withLock { held in
                    defer { held = [] }
                    return held
                })
        }
        let (ending, items, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .items(count))
        #expect(items.allSatisfy { $0.secret?.reveal { $0.elementsEqual("token".utf8) } == true })
    }

    @Test("makes no second call if the first is unanswered")
    func unanswered() throws {
        let bus = try ScriptedBus { _ in .nothing }
        let (ending, _, _) = try lookUp(on: bus.address, within: 3_000)
        bus.finish()
        #expect(ending == .aside(.deadline))
        #expect(bus.names == ["Hello", "Get Collections"])
    }
}
