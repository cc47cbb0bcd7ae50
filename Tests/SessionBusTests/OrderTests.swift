import CredentialCore
import Synchronization
import Testing

@testable import SessionBus

@Suite("What is said to the keyring, and when")
struct OrderTests {
    @Test("a question that aborts nothing comes first, its answer is awaited, and five calls are all")
    func order() throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring().answer(to: $0)) }
        let (ending, items, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .items(1))
        #expect(
            bus.names == [
                "Hello", "Get Collections", "OpenSession", "SearchItems", "GetSecrets", "Get Attributes",
            ])
        #expect(!bus.wasHurried)
        #expect(items.first?.secret?.reveal { $0.elementsEqual("token".utf8) } == true)
        #expect(items.first?.attributes.user == Array("octocat".utf8))
    }

    @Test("where every collection can be locked, nothing is searched for until one is known to be open")
    func asksWhetherLocked() throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring(isLocked: false).answer(to: $0)) }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .items(1))
        #expect(bus.names.prefix(4) == ["Hello", "Get Collections", "Get Locked", "OpenSession"])
        #expect(!bus.wasHurried)
    }

    @Test("a locked keyring is not searched: KeePassXC would answer with a dialog")
    func locked() throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring(isLocked: true).answer(to: $0)) }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .aside(.locked))
        #expect(bus.names == ["Hello", "Get Collections", "Get Locked"])
    }

    @Test("where nothing is found, no secret is asked for")
    func miss() throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring(count: 0).answer(to: $0)) }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == .items(0))
        #expect(bus.names.last == "SearchItems")
    }

    @Test("up to sixteen items are read, and more are none of ours", arguments: [2, 16, 17])
    func several(count: Int) throws {
        let bus = try ScriptedBus { .send(ScriptedKeyring(count: count).answer(to: $0)) }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == (count <= 16 ? .items(count) : .aside(.ambiguous)))
    }

    @Test("the answers may come in any order", arguments: [1, 3])
    func anyOrder(count: Int) throws {
        let keyring = ScriptedKeyring(count: count)
        let held = Mutex<[UInt8]>([])
        // What is sent together is answered together, the last first.
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

    @Test("an unanswered first question leads to no second one")
    func unanswered() throws {
        let bus = try ScriptedBus { _ in .nothing }
        let (ending, _, _) = try lookUp(on: bus.address, within: 3_000)
        bus.finish()
        #expect(ending == .aside(.deadline))
        #expect(bus.names == ["Hello", "Get Collections"])
    }
}
