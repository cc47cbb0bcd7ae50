import CredentialCore
import System

@testable import FrontDoor

/// A keyring's correct answers, which a test may replace.
struct ScriptedKeyring: Sendable {
    /// The number of matching items, all of them unlocked.
    var count = 1
    /// The number of items that vanish before their secrets are read.
    var vanished = 0
    var secret = Array("token".utf8)
    /// Whether the default collection is locked; `nil` for a service with another collection that is always unlocked.
    var isLocked: Bool?
    /// Whether each item's number is at the end of its secret.
    var isNumbered = false

    func answer(to call: Call) -> WireMessage {
        let session = "/org/freedesktop/secrets/session/1"
        switch call.name {
        case "Get Collections":
            return .variant(to: call.serial, "ao") { body in
                body.array(alignedTo: 4) { paths in
                    paths.string("/org/freedesktop/secrets/collection/login".utf8)
                    if isLocked == nil { paths.string("/org/freedesktop/secrets/collection/session".utf8) }
                }
            }
        case "Get Locked": return .variant(to: call.serial, "b") { $0.uint32(isLocked == true ? 1 : 0) }
        case "OpenSession":
            return .answer(to: call.serial, "vo") { body in
                body.signature("s")
                body.string("".utf8)
                body.string(session.utf8)
            }
        case "SearchItems":
            return .answer(to: call.serial, "aoao") { body in
                body.array(alignedTo: 4) { paths in (0..<count).forEach { paths.string(Self.path($0).utf8) } }
                body.array(alignedTo: 4) { _ in }
            }
        case "GetSecrets":
            return .answer(to: call.serial, "a{o(oayays)}") { body in
                body.array(alignedTo: 8) { entries in
                    // The answer is a dictionary, which has no order.
                    for number in (vanished..<count).reversed() {
                        let value = isNumbered ? secret + Array("\(number)".utf8) : secret
                        entries.align(to: 8)
                        entries.string(Self.path(number).utf8)
                        entries.align(to: 8)
                        entries.string(session.utf8)
                        entries.array(alignedTo: 1) { _ in }
                        entries.array(alignedTo: 1) { bytes in value.forEach { bytes.byte($0) } }
                        entries.string("text/plain".utf8)
                    }
                }
            }
        case "Get Created":
            return .variant(to: call.serial, "t") { body in
                body.align(to: 8)
                let number = call.path.split(separator: "/").last.flatMap { UInt32($0) } ?? 0
                body.uint32(number + 1)
                body.uint32(0)
            }
        default:
            return .variant(to: call.serial, "a{ss}") { body in
                body.array(alignedTo: 8) { entries in
                    for (name, value) in [("protocol", "https"), ("server", "host.example"), ("user", "octocat")] {
                        entries.align(to: 8)
                        entries.string(name.utf8)
                        entries.string(value.utf8)
                    }
                }
            }
        }
    }

    static func path(_ number: Int) -> String { "/org/freedesktop/secrets/collection/login/\(number)" }
}

/// The result of a lookup: the number of items, or stepping aside.
enum Ending: Equatable {
    case items(Int)
    case aside(FallbackReason)
}

/// Looks up the items on a bus.
func lookUp(on address: SessionBusAddress.Socket, within patience: Int64 = 60_000) throws -> (
    ending: Ending, items: [Item]
) {
    let wanted = ItemAttributes(protocol: Array("https".utf8), host: HostName(name: "host.example"))
    do throws(FallbackReason) {
        let items = try SecretServiceReader.items(having: wanted, on: address, by: Deadline(in: patience))
        return (.items(items.count), items)
    } catch { return (.aside(error), []) }
}

/// Looks up the items on a scripted bus, to the end of the connection.
func lookUp(
    within patience: Int64 = 60_000, greeting: String? = "OK 1234deadbeef\r\n", answersHello: Bool = true,
    _ script: @escaping ScriptedBus.Script
) throws -> (ending: Ending, items: [Item], bus: ScriptedBus) {
    let bus = try ScriptedBus(greeting: greeting, answersHello: answersHello, script)
    let (ending, items) = try lookUp(on: bus.address, within: patience)
    bus.finish()
    return (ending, items, bus)
}

/// Looks up the items of a keyring that answers correctly.
func lookUp(_ keyring: ScriptedKeyring) throws -> (ending: Ending, items: [Item], bus: ScriptedBus) {
    try lookUp { .send(keyring.answer(to: $0)) }
}
