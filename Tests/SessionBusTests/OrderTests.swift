import CredentialCore
import Synchronization
import Testing

@testable import FrontDoor

@Suite("Order of the calls to a keyring")
struct OrderTests {
    @Test("waits for the answer to a harmless first call, and makes five calls in all")
    func order() throws {
        let (ending, items, bus) = try lookUp(ScriptedKeyring())
        #expect(ending == .items(1))
        #expect(
            bus.names == ["Hello", "Get Collections", "OpenSession", "SearchItems", "GetSecrets", "Get Attributes"])
        #expect(!bus.wasHurried)
        #expect(items.first?.secret?.reveal { $0.elementsEqual("token".utf8) } == true)
        #expect(items.first?.attributes.user == Array("octocat".utf8))
    }

    @Test("searches only after a collection is known to be unlocked, if every collection can be locked")
    func asksWhetherLocked() throws {
        let (ending, _, bus) = try lookUp(ScriptedKeyring(isLocked: false))
        #expect(ending == .items(1))
        #expect(bus.names.prefix(4) == ["Hello", "Get Collections", "Get Locked", "OpenSession"])
        #expect(!bus.wasHurried)
    }

    @Test("leaves a locked keyring unsearched, since KeePassXC would open a dialog")
    func locked() throws {
        let (ending, _, bus) = try lookUp(ScriptedKeyring(isLocked: true))
        #expect(ending == .aside(.locked))
        #expect(bus.names == ["Hello", "Get Collections", "Get Locked"])
    }

    @Test("requests no secret if nothing is found")
    func miss() throws {
        let (ending, _, bus) = try lookUp(ScriptedKeyring(count: 0))
        #expect(ending == .items(0))
        #expect(bus.names.last == "SearchItems")
    }

    @Test("reads up to sixteen items, and leaves more to the full program", arguments: [2, 16, 17])
    func several(count: Int) throws {
        #expect(try lookUp(ScriptedKeyring(count: count)).ending == (count <= 16 ? .items(count) : .aside(.ambiguous)))
    }

    @Test("accepts answers in any order", arguments: [1, 3])
    func anyOrder(count: Int) throws {
        let keyring = ScriptedKeyring(count: count)
        let held = Mutex<[UInt8]>([])
        // Calls that were sent together are answered together, in reverse order.
        let last = count == 1 ? "Get Attributes" : "Get Created"
        let asked = Mutex(0)
        let (ending, items, _) = try lookUp { call in
            if call.name == "Get Collections" { return .send(keyring.answer(to: call)) }
            held.withLock { $0 = keyring.answer(to: call).bytes + $0 }
            if call.name == last { asked.withLock { $0 += 1 } }
            guard call.name == "SearchItems" || call.name == last && asked.withLock({ $0 == count }) else {
                return .nothing
            }
            return .send(
                held.withLock { held in
                    defer { held = [] }
                    return held
                })
        }
        #expect(ending == .items(count))
        #expect(items.allSatisfy { $0.secret?.reveal { $0.elementsEqual("token".utf8) } == true })
    }

    @Test("makes no second call if the first is unanswered")
    func unanswered() throws {
        let (ending, _, bus) = try lookUp(within: 3_000) { _ in .nothing }
        #expect(ending == .aside(.deadline))
        #expect(bus.names == ["Hello", "Get Collections"])
    }
}
