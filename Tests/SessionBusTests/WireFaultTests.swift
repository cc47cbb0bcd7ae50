import Testing

@testable import FrontDoor

/// A fault in one answer, and the reader's expected reaction.
struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The call whose answer is faulty.
    let call: String
    let ending: Ending
    let reaction: @Sendable (WireMessage) -> ScriptedBus.Reaction

    init(
        _ description: String, in call: String, _ ending: Ending,
        _ reaction: @escaping @Sendable (WireMessage) -> ScriptedBus.Reaction
    ) {
        testDescription = "\(description) (\(call))"
        self.call = call
        self.ending = ending
        self.reaction = reaction
    }
}

@Suite("Faults of a bus")
struct WireFaultTests {
    static let calls = ["Get Collections", "OpenSession", "SearchItems", "GetSecrets", "Get Attributes"]

    /// Faults that can occur in every answer.
    static let everywhere: [Fault] = calls.flatMap { call in
        [
            Fault("big-endian", in: call, .aside(.oddMessage)) { message in
                .send(message.but { $0.byteOrder = UInt8(ascii: "B") })
            },
            Fault("another version", in: call, .aside(.oddMessage)) { message in
                .send(message.but { $0.version = 2 })
            },
            Fault("a body of 4 GiB", in: call, .aside(.oddMessage)) { message in
                .send(message.but { $0.claimedBodyBytes = .max })
            },
            Fault("a body beyond the bound", in: call, .aside(.oddMessage)) { message in
                .send(message.but { $0.body += [UInt8](repeating: 0, count: IncomingMessage.longest) })
            },
            Fault("the serial of the answer is a string", in: call, .aside(.oddMessage)) { message in
                .send(
                    message.but { message in
                        message.oddFields = { fields in
                            fields.align(to: 8)
                            fields.byte(5)
                            fields.signature("s")
                            fields.string("1".utf8)
                        }
                    })
            },
            Fault("deep nesting in the header", in: call, .aside(.oddMessage)) { message in
                .send(
                    message.but { message in
                        message.oddFields = { fields in
                            fields.align(to: 8)
                            fields.byte(200)
                            for _ in 0..<100 { fields.signature("v") }
                            fields.signature("y")
                            fields.byte(0)
                        }
                    })
            },
            Fault("an error", in: call, .aside(.refused)) { message in .send(message.but { $0.kind = 3 }) },
            Fault("half a message, then the end", in: call, .aside(.connection)) { message in
                .sendAndHangUp(Array(message.bytes.prefix(message.bytes.count / 2)))
            },
            Fault("the end", in: call, .aside(.connection)) { _ in .sendAndHangUp([]) },
            Fault("an unknown header field", in: call, .items(1)) { message in
                .send(
                    message.but { message in
                        message.oddFields = { fields in
                            fields.align(to: 8)
                            fields.byte(201)
                            fields.signature("as")
                            fields.array(alignedTo: 4) { $0.string("strange".utf8) }
                        }
                    })
            },
            Fault("a signal, an unknown serial and an unknown kind before it", in: call, .items(1)) { message in
                let signal = message.but { $0.kind = 4 }
                let foreign = message.but { $0.replySerial = 4_711 }
                let unknown = message.but { $0.kind = 9 }
                return .send(signal.bytes + foreign.bytes + unknown.bytes + message.bytes)
            },
            Fault("one byte at a time", in: call, .items(1)) { message in .dribble(message.bytes) },
        ]
    }

    /// Faults in the arguments of answers that the reader parses.
    static let arguments: [Fault] = calls.dropFirst().flatMap { call in
        [
            Fault("another signature", in: call, .aside(.oddMessage)) { message in
                .send(message.but { $0.signature = "a{sv}" })
            },
            Fault("no arguments", in: call, .aside(.oddMessage)) { message in
                .send(message.but { $0.signature = "" })
            },
            Fault("a body that is cut short", in: call, .aside(.oddMessage)) { message in
                .send(message.but { $0.body.removeLast() })
            },
            Fault("bytes behind the arguments", in: call, .aside(.oddMessage)) { message in
                .send(message.but { $0.body.append(0) })
            },
            Fault("a length of 4 GiB", in: call, .aside(.oddMessage)) { message in
                .send(
                    message.but { message in
                        // A variant's signature is followed by padding, then a length, as the other bodies have at
                        // their start.
                        let start = message.signature.description.hasPrefix("v") ? message.body.firstLength : 0
                        for offset in start..<start + 4 { message.body[offset] = 0xff }
                    })
            },
        ]
    }

    @Test("ends the lookup in the expected way after each fault", arguments: everywhere + arguments)
    func fault(_ fault: Fault) throws {
        let bus = try ScriptedBus { call in
            let answer = ScriptedKeyring().answer(to: call)
            return call.name == fault.call ? fault.reaction(answer) : .send(answer)
        }
        let (ending, _, _) = try lookUp(on: bus.address)
        bus.finish()
        #expect(ending == fault.ending)
    }

    @Test("ends at the deadline if half a message is followed by silence", arguments: calls)
    func half(call: String) throws {
        let place = try #require(Self.calls.firstIndex(of: call))
        let bus = try ScriptedBus { received in
            let bytes = ScriptedKeyring().answer(to: received).bytes
            // Calls come in pairs; an answer to the second one would be taken for the missing half.
            guard let other = Self.calls.firstIndex(of: received.name), other <= place else { return .nothing }
            return .send(other == place ? Array(bytes.prefix(bytes.count - 1)) : bytes)
        }
        let (ending, _, milliseconds) = try lookUp(on: bus.address, within: 250)
        bus.finish()
        #expect(ending == .aside(.deadline))
        #expect(milliseconds >= 250)
    }
}

extension [UInt8] {
    /// The position of the first length in a body that begins with a variant of a string or an array of entries.
    fileprivate var firstLength: Int { (Int(self[0]) + 2 + 3) / 4 * 4 }
}
