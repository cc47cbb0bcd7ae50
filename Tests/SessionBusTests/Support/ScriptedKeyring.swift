import CredentialCore
import System
import Testing

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

    /// The correct answer to a call.
    func answer(to call: Call) -> WireMessage {
        switch call.name {
        case "Get Collections":
            return .answer(to: call.serial, "v") { body in
                body.signature("ao")
                body.array(alignedTo: 4) { paths in
                    paths.string("/org/freedesktop/secrets/collection/login".utf8)
                    if isLocked == nil { paths.string("/org/freedesktop/secrets/collection/session".utf8) }
                }
            }
        case "Get Locked":
            return .answer(to: call.serial, "v") { body in
                body.signature("b")
                body.uint32(isLocked == true ? 1 : 0)
            }
        case "OpenSession":
            return .answer(to: call.serial, "vo") { body in
                body.signature("s")
                body.string("".utf8)
                body.string("/org/freedesktop/secrets/session/1".utf8)
            }
        case "SearchItems":
            return .answer(to: call.serial, "aoao") { body in
                body.array(alignedTo: 4) { paths in (0..<count).forEach { paths.string(Self.path($0).utf8) } }
                body.array(alignedTo: 4) { _ in }
            }
        case "GetSecrets":
            return .answer(to: call.serial, "a{o(oayays)}") { body in
                body.array(alignedTo: 8) { entries in (vanished..<count).forEach { secret(of: $0, &entries) } }
            }
        case "Get Created":
            return .answer(to: call.serial, "v") { body in
                body.signature("t")
                body.align(to: 8)
                for _ in 0..<8 { body.byte(1) }
            }
        default:
            return .answer(to: call.serial, "v") { body in
                body.signature("a{ss}")
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

    private func secret(of number: Int, _ entries: inout Marshaller) {
        entries.align(to: 8)
        entries.string(Self.path(number).utf8)
        entries.align(to: 8)
        entries.string("/org/freedesktop/secrets/session/1".utf8)
        entries.array(alignedTo: 1) { _ in }
        entries.array(alignedTo: 1) { bytes in secret.forEach { bytes.byte($0) } }
        entries.string("text/plain".utf8)
    }
}

/// The attributes that the tests look up.
func wanted(user: String? = nil) throws -> ItemAttributes {
    ItemAttributes(
        protocol: Array("https".utf8), host: try #require(HostName(Array("host.example".utf8))),
        user: user.map { Array($0.utf8) })
}

/// The result of a lookup: the number of items, or stepping aside.
enum Ending: Equatable {
    case items(Int)
    case aside(FallbackReason)
}

/// Looks up the items on a bus.
func lookUp(
    on address: SessionBusAddress.Socket, within patience: Int64 = 60_000
) throws -> (ending: Ending, items: [Item], milliseconds: Int64) {
    let begin = Clock.now
    let reader = SecretServiceReader(on: address, by: Deadline(in: patience))
    let attributes = try wanted()
    do throws(FallbackReason) {
        let items = try reader.items(having: attributes)
        return (.items(items.count), items, Clock.now - begin)
    } catch {
        return (.aside(error), [], Clock.now - begin)
    }
}
