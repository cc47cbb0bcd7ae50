import CredentialCore
import Glibc
import Staging
import System
import Testing

@testable import FrontDoor

@Suite("Faults of a keyring")
struct KeyringFaultTests {
    /// Looks up an item while one call gets another answer.
    private func ending(_ name: String, _ other: @escaping @Sendable (Call) -> WireMessage) throws -> Ending {
        try lookUp { .send($0.name == name ? other($0) : ScriptedKeyring().answer(to: $0)) }.ending
    }

    @Test("accepts KWallet's variant with bytes, and any other simple value in its place")
    func variant() throws {
        let bytes = try ending("OpenSession") { call in
            .answer(to: call.serial, "vo") { body in
                body.signature("ay")
                body.array(alignedTo: 1) { _ in }
                body.string("/org/freedesktop/secrets/session/1".utf8)
            }
        }
        #expect(bytes == .items(1))
        let nested = try ending("OpenSession") { call in
            .answer(to: call.serial, "vo") { body in
                for _ in 0..<100 { body.signature("v") }
                body.signature("y")
                body.byte(1)
                body.string("/org/freedesktop/secrets/session/1".utf8)
            }
        }
        #expect(nested == .aside(.oddMessage))
    }

    @Test("steps aside if one of the matching items is locked")
    func locked() throws {
        let ending = try ending("SearchItems") { call in
            .answer(to: call.serial, "aoao") { body in
                body.array(alignedTo: 4) { $0.string(ScriptedKeyring.path(0).utf8) }
                body.array(alignedTo: 4) { $0.string(ScriptedKeyring.path(1).utf8) }
            }
        }
        #expect(ending == .aside(.locked))
    }

    @Test("steps aside if an item vanishes or its secret is denied")
    func vanished() throws { #expect(try lookUp(ScriptedKeyring(count: 2, vanished: 1)).ending == .aside(.ambiguous)) }

    @Test("refuses attributes of another type")
    func attributes() throws {
        let ending = try ending("Get Attributes") { call in .variant(to: call.serial, "s") { $0.string("user".utf8) } }
        #expect(ending == .aside(.oddMessage))
    }

    @Test("reads a secret of any usual length, and refuses a huge one", arguments: [0, 65_536, 2_000_000])
    func size(count: Int) throws {
        let (ending, items, _) = try lookUp(ScriptedKeyring(secret: [UInt8](repeating: 0x61, count: count)))
        #expect(ending == (count <= 65_536 ? .items(1) : .aside(.oddMessage)))
        #expect(items.allSatisfy { $0.secret?.count == count })
    }

    @Test(
        "steps aside if the bus refuses the connection",
        arguments: [
            ("REJECTED EXTERNAL\r\n", .refused), ("OK 1234\r\nmore", .refused),
            (String(repeating: "x", count: 100_000), .oddMessage), (nil, .deadline),
        ] as [(String?, FallbackReason)])
    func greeting(text: String?, expected: FallbackReason) throws {
        let (ending, _, _) = try lookUp(within: text == nil ? 250 : 60_000, greeting: text) { _ in .nothing }
        #expect(ending == .aside(expected))
    }

    @Test(
        "reports a bus name without an owner as no keyring, and any other error as such",
        arguments: [
            ("org.freedesktop.DBus.Error.NameHasNoOwner", .noService),
            ("org.freedesktop.DBus.Error.ServiceUnknown", .noService),
            ("org.freedesktop.DBus.Error.AccessDenied", .refused), ("", .refused),
        ] as [(String, FallbackReason)])
    func nobody(name: String, expected: FallbackReason) throws {
        let ending = try ending("Get Collections") { call in
            .answer(to: call.serial).but { message in
                message.kind = 3
                message.addField(4) { fields in
                    fields.signature("s")
                    fields.string(name.utf8)
                }
            }
        }
        #expect(ending == .aside(expected))
    }

    @Test("finds a bus whose queue of connections is full")
    func busy() throws {
        let path = FileManager.default.temporaryDirectory.path + "/busy-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bus = try SilentSocket(at: path)
        // The backlog is one connection, to which the kernel adds one.
        let others = try (1...2).map { _ in try SocketClient(to: path) }
        #expect(try lookUp(on: .path(Array(path.utf8))).ending == .aside(.connection))
        withExtendedLifetime((bus, others)) {}
    }

    @Test("reports a missing socket")
    func absent() throws {
        #expect(try lookUp(on: .path(Array("/nowhere/bus".utf8))).ending == .aside(.noBus))
        #expect(try lookUp(on: .abstract(Array("gitspace-test-nobody".utf8))).ending == .aside(.noBus))
    }
}

@Suite("A real keyring")
struct RealKeyringTests {
    @Test("reads items of libsecret byte for byte, with their attributes", arguments: [1, 3])
    func stored(count: Int) async throws {
        let session = try await Session()
        let secret = "gho_0123\nline=two ü\u{1}"
        for number in 1...count {
            let attributes = ["protocol", "https", "server", "host.example", "user", "user-\(number)"]
            let store = ["secret-tool", "store", "--label=test"] + attributes
            try #require(try await session.run(store, input: secret).status == 0)
        }
        let address = try #require(SessionBusAddress(environment: { session.environment[$0] })?.sockets.first)
        let (ending, items) = try lookUp(on: address)
        #expect(ending == .items(count))
        #expect(items.allSatisfy { $0.secret?.reveal { $0.elementsEqual(secret.utf8) } == true })
        #expect(Set(items.compactMap(\.attributes.user)) == Set((1...count).map { Array("user-\($0)".utf8) }))
        let clear = ["secret-tool", "clear", "protocol", "https", "server", "host.example"]
        try #require(try await session.run(clear).status == 0)
        #expect(try lookUp(on: address).ending == .items(0))
    }

    @Test(
        "leaves another user's keyring alone",
        .enabled(if: RootsNamespaces.areAvailable, Comment(rawValue: RootsNamespaces.need)))
    func stranger() async throws {
        let session = try await Session(startedBy: [
            "as-user.sh", "12345", BuiltFiles.script("with-keyring.sh"), "--open-bus",
        ])
        let address = try #require(SessionBusAddress(environment: { session.environment[$0] })?.sockets.first)
        #expect(try lookUp(on: address).ending == .aside(.foreignBus(.user(12_345))))
    }
}
