import CredentialCore
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

    @Test("an unanswered first question leads to no second one")
    func unanswered() throws {
        let bus = try ScriptedBus { _ in .nothing }
        let (ending, _, _) = try lookUp(on: bus.address, within: 3_000)
        bus.finish()
        #expect(ending == .aside(.deadline))
        #expect(bus.names == ["Hello", "Get Collections"])
    }
}
