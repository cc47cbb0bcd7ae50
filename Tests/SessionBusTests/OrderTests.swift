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

    @Test("searches only after a collection is known to be unlocked, since KeePassXC would open a dialog")
    func asksWhetherLocked() throws {
        let (ending, _, bus) = try lookUp(ScriptedKeyring(isLocked: false))
        #expect(ending == .items(1))
        #expect(bus.names.prefix(4) == ["Hello", "Get Collections", "Get Locked", "OpenSession"])
        #expect(!bus.wasHurried)
        let (locked, _, other) = try lookUp(ScriptedKeyring(isLocked: true))
        #expect(locked == .aside(.locked) && other.names == ["Hello", "Get Collections", "Get Locked"])
    }

    @Test("reads the secrets of up to sixteen items, and leaves more to the full program", arguments: [0, 2, 16, 17])
    func several(count: Int) throws {
        let (ending, _, bus) = try lookUp(ScriptedKeyring(count: count))
        #expect(ending == (count <= 16 ? .items(count) : .aside(.ambiguous)))
        #expect(count > 0 || bus.names.last == "SearchItems")
    }

    @Test("gives each item its own secret and time, whatever the order of the answer")
    func ownSecret() throws {
        let items = try lookUp(ScriptedKeyring(count: 3, isNumbered: true)).items
        let secrets = items.map { $0.secret?.reveal { String(decoding: $0, as: UTF8.self) } }
        #expect(secrets == ["token0", "token1", "token2"])
        #expect(items.map(\.created) == [1, 2, 3])
    }

    @Test("makes no second call if the first is unanswered")
    func unanswered() throws {
        let (ending, _, bus) = try lookUp(within: 3_000) { _ in .nothing }
        #expect(ending == .aside(.deadline))
        #expect(bus.names == ["Hello", "Get Collections"])
    }
}

/// Replies may come in any order (D-Bus specification, "Message Protocol"): each names the serial of its call.
@Suite("Orders of replies")
struct ReplyOrderTests {
    /// All orders of this many elements.
    private static func orders(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return orders(of: count - 1).flatMap { shorter in
            (0...shorter.count).map { place in
                var order = shorter
                order.insert(count - 1, at: place)
                return order
            }
        }
    }

    /// The calls that are sent together, in the order of the writes.
    private static func batches(items: Int) -> [[String]] {
        [
            ["Hello", "Get Collections"], ["OpenSession", "SearchItems"],
            ["GetSecrets"] + Array(repeating: "Get Attributes", count: items)
                + (items > 1 ? Array(repeating: "Get Created", count: items) : []),
        ]
    }

    /// Looks up items while the replies to one batch come in a given order, each after a signal, at once or byte by
    /// byte.
    private func lookUpOvertaken(
        _ items: Int, batch: Int, order: [Int], spoiling spoiled: Int? = nil, dribbling: Bool = false
    ) throws -> (ending: Ending, items: [Item]) {
        let keyring = ScriptedKeyring(count: items)
        let size = Self.batches(items: items)[batch].count
        let first = Self.batches(items: items)[..<batch].joined().count
        let state = Mutex((calls: 0, held: [[UInt8]]()))
        let (ending, found, _) = try lookUp(answersHello: false) { call in
            state.withLock { state in
                defer { state.calls += 1 }
                let answer = call.member == "Hello" ? ScriptedBus.hello(call) : keyring.answer(to: call)
                guard (first..<first + size).contains(state.calls) else { return .send(answer.bytes) }
                let isSpoiled = spoiled == state.held.count
                state.held.append((isSpoiled ? answer.but { $0.kind = 3 } : answer).bytes)
                guard state.held.count == size else { return .nothing }
                let signal = answer.but { $0.kind = 4 }.bytes
                let bytes = order.flatMap { signal + state.held[$0] }
                return dribbling ? .dribble(bytes) : .send(bytes)
            }
        }
        return (ending, found)
    }

    @Test("reads the items in every order of the replies", arguments: [(1, 0), (1, 1), (1, 2), (2, 2)] as [(Int, Int)])
    func every(items: Int, batch: Int) throws {
        for order in Self.orders(of: Self.batches(items: items)[batch].count) {
            for dribbling in items == 1 ? [false, true] : [false] {
                let (ending, found) = try lookUpOvertaken(items, batch: batch, order: order, dribbling: dribbling)
                try #require(ending == .items(items), "\(order)")
                #expect(found.map(\.path) == (0..<items).map(ScriptedKeyring.path), "\(order)")
                #expect(found.allSatisfy { $0.secret?.reveal { $0.elementsEqual("token".utf8) } == true }, "\(order)")
                #expect(found.allSatisfy { $0.attributes.user == Array("octocat".utf8) }, "\(order)")
            }
        }
    }

    @Test("ends the lookup at an error in its turn, even if it arrived early", arguments: [1, 2])
    func error(batch: Int) throws {
        let size = Self.batches(items: 1)[batch].count
        for order in Self.orders(of: size) {
            for spoiled in 0..<size {
                let ending = try lookUpOvertaken(1, batch: batch, order: order, spoiling: spoiled).ending
                #expect(ending == .aside(.refused), "\(order), \(spoiled)")
            }
        }
    }

    @Test("ignores unexpected and repeated replies, up to a limit")
    func repeated() throws {
        let keyring = ScriptedKeyring()
        for (copies, expected) in [(2, Ending.items(1)), (100, .aside(.oddMessage))] {
            let ending = try lookUp { call in
                let answer = keyring.answer(to: call)
                guard call.name == "OpenSession" else { return .send(answer) }
                // Send the reply to the next call before that call arrives, and again afterwards.
                let next = Call(member: "SearchItems", serial: call.serial + 1)
                let early = Array(repeating: keyring.answer(to: next).bytes, count: copies).flatMap { $0 }
                return .send(early + answer.bytes)
            }.ending
            #expect(ending == expected, "\(copies)")
        }
    }
}
