import Testing

@testable import FrontDoor

/// A fault in one answer, and the reader's expected reaction.
struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let ending: Ending
    let reaction: @Sendable (WireMessage) -> ScriptedBus.Reaction

    init(_ description: String, _ ending: Ending, _ reaction: @escaping @Sendable (WireMessage) -> ScriptedBus.Reaction)
    {
        testDescription = description
        self.ending = ending
        self.reaction = reaction
    }

    /// An answer that is changed in some way.
    static func changed(
        _ description: String, _ ending: Ending = .aside(.oddMessage),
        _ change: @escaping @Sendable (inout WireMessage) -> Void
    ) -> Fault { Fault(description, ending) { .send($0.but(change)) } }
}

@Suite("Faults of a bus")
struct WireFaultTests {
    static let calls = ["Get Collections", "OpenSession", "SearchItems", "GetSecrets", "Get Attributes"]

    /// Faults that can occur in every answer.
    static let everywhere: [Fault] = [
        .changed("big-endian") { $0.byteOrder = UInt8(ascii: "B") }, .changed("another version") { $0.version = 2 },
        .changed("a body of 4 GiB") { $0.claimedBodyBytes = .max },
        .changed("a body beyond the bound") { $0.body += [UInt8](repeating: 0, count: IncomingMessage.longest) },
        .changed("the serial of the answer is a string") { message in
            message.addField(5) { fields in
                fields.signature("s")
                fields.string("1".utf8)
            }
        },
        .changed("deep nesting in the header") { message in
            message.addField(200) { fields in
                for _ in 0..<100 { fields.signature("v") }
                fields.signature("y")
                fields.byte(0)
            }
        }, .changed("an error", .aside(.refused)) { $0.kind = 3 },
        Fault("half a message, then the end", .aside(.connection)) { message in
            .sendAndHangUp(Array(message.bytes.prefix(message.bytes.count / 2)))
        }, Fault("the end", .aside(.connection)) { _ in .sendAndHangUp([]) },
        .changed("an unknown header field", .items(1)) { message in
            message.addField(201) { fields in
                fields.signature("as")
                fields.array(alignedTo: 4) { $0.string("strange".utf8) }
            }
        },
        Fault("a signal, an unknown serial and an unknown kind before it", .items(1)) { message in
            let others = [
                message.but { $0.kind = 4 }, message.but { $0.replySerial = 4_711 }, message.but { $0.kind = 9 },
            ]
            return .send((others + [message]).flatMap(\.bytes))
        }, Fault("one byte at a time", .items(1)) { .dribble($0.bytes) },
    ]

    /// Faults in the arguments of answers that the reader parses.
    static let arguments: [Fault] = [
        .changed("another signature") { $0.signature = "a{sv}" }, .changed("no arguments") { $0.signature = "" },
        .changed("a body that is cut short") { $0.body.removeLast() },
        .changed("bytes behind the arguments") { $0.body.append(0) },
        .changed("a length of 4 GiB") { message in
            // A variant's signature is followed by padding, then a length, as the other bodies have at their start.
            let start = message.signature.description.hasPrefix("v") ? message.body.firstLength : 0
            for offset in start..<start + 4 { message.body[offset] = 0xff }
        },
    ]

    private func expect(_ fault: Fault, in name: String) throws {
        let ending = try lookUp { call in
            let answer = ScriptedKeyring().answer(to: call)
            return call.name == name ? fault.reaction(answer) : .send(answer)
        }.ending
        #expect(ending == fault.ending)
    }

    @Test("ends the lookup in the expected way after each fault", arguments: everywhere, calls)
    func fault(_ fault: Fault, call: String) throws { try expect(fault, in: call) }

    @Test("ends the lookup in the expected way after a fault in the arguments", arguments: arguments, calls.dropFirst())
    func argument(_ fault: Fault, call: String) throws { try expect(fault, in: call) }

    @Test("ends at the deadline if half a message is followed by silence", arguments: calls)
    func half(call: String) throws {
        let place = try #require(Self.calls.firstIndex(of: call))
        let bus = try ScriptedBus { received in
            let bytes = ScriptedKeyring().answer(to: received).bytes
            // Calls come in pairs; an answer to the second one would be taken for the missing half.
            guard let other = Self.calls.firstIndex(of: received.name), other <= place else { return .nothing }
            return .send(other == place ? Array(bytes.prefix(bytes.count - 1)) : bytes)
        }
        let begin = ContinuousClock.now
        let ending = try lookUp(on: bus.address, within: 250).ending
        // A deadline begins within a millisecond of the clock.
        #expect(ContinuousClock.now - begin >= .milliseconds(249))
        #expect(ending == .aside(.deadline))
        bus.finish()
    }
}

extension [UInt8] {
    /// The position of the first length in a body that begins with a variant of a string or an array of entries.
    fileprivate var firstLength: Int { (Int(self[0]) + 2 + 3) / 4 * 4 }
}
