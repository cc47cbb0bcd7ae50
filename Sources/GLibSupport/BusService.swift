internal import CGLib
package import System

/// A service on the bus, over its own connection, with a time limit for each call.
///
/// GIO's shared connection is not used: a service that hangs must not block the keyring.
package final class BusService {
    private let calls = PendingCalls<NoAnswer>(graceMilliseconds: 100)
    private let connection: ObjectReference
    private let name: String
    private let path: String
    private let interface: String

    private struct NoAnswer: Error {}

    /// Connects to a bus; returns `nil` if the connection is refused, or the bus belongs neither to us nor to root.
    ///
    /// Without `interface`, it has the service's name. `isInterrupted` is called ten times a second, and ends the wait
    /// with true.
    package init?(
        _ name: String, at path: String, interface: String? = nil, on address: SessionBusAddress,
        within milliseconds: Int64, unless isInterrupted: () -> Bool
    ) {
        // Prepares the process for GLib.
        _ = GLibProcess.bus
        self.name = name
        self.path = path
        self.interface = interface ?? name
        let connected = Self.run(calls, within: milliseconds, unless: isInterrupted) {
            g_dbus_connection_new_for_address(address.text, gitspace_bus_client, nil, $0, $1, $2)
        } finish: {
            g_dbus_connection_new_for_address_finish($0, $1)
        }
        guard let connected else { return nil }
        connection = ObjectReference(taking: UnsafeMutableRawPointer(connected))
        guard GLibProcess.refusal(of: connection.opaque) == nil else { return nil }
    }

    /// Calls a method; returns `nil` for every failure, including a result of another type.
    ///
    /// `isInterrupted` is called ten times a second, and ends the wait with true.
    package func call(
        _ method: String, _ arguments: [VariantValue] = [], answer type: String, within milliseconds: Int64,
        startsService: Bool = true, unless isInterrupted: () -> Bool
    ) -> Variant? {
        let answerType = g_variant_type_new(type)
        defer { g_variant_type_free(answerType) }
        let arguments = Variant(.tuple(arguments))
        let answer = Self.run(calls, within: milliseconds, unless: isInterrupted) {
            g_dbus_connection_call(
                connection.opaque, name, path, interface, method, arguments.pointer, answerType,
                startsService ? gitspace_call_none : gitspace_call_no_auto_start,
                Int32(clamping: milliseconds), $0, $1, $2)
        } finish: {
            g_dbus_connection_call_finish(connection.opaque, $0, $1)
        }
        return answer.map { Variant(taking: $0) }
    }

    /// Passes the name and arguments of every signal to `take`, as long as the process runs.
    package func collectSignals(_ take: @escaping (String, borrowing Variant) -> Void) {
        let receiver = Unmanaged.passRetained(SignalReceiver(take)).toOpaque()
        calls.inContext {
            g_dbus_connection_signal_subscribe(
                connection.opaque, name, interface, nil, path, nil, gitspace_signal_none,
                { _, _, _, _, member, arguments, receiver in
                    guard let member, let arguments, let receiver else { return }
                    Unmanaged<SignalReceiver>.fromOpaque(receiver).takeUnretainedValue()
                        .take(String(cString: member), Variant(taking: g_variant_ref(arguments)))
                }, receiver, nil)
        }
    }

    package func iterate(
        forMilliseconds milliseconds: Int64, reading: [Int32], ending: [Int32], until isDone: () -> Bool
    ) { calls.iterate(forMilliseconds: milliseconds, reading: reading, ending: ending, until: isDone) }

    private static func run(
        _ calls: PendingCalls<NoAnswer>, within milliseconds: Int64, unless isInterrupted: () -> Bool,
        _ start: PendingCalls<NoAnswer>.Start,
        finish: (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> OpaquePointer?
    ) -> OpaquePointer? {
        var deadline = Deadline(in: milliseconds)
        do throws(NoAnswer) {
            let result = try calls.run(start) { () throws(NoAnswer) in
                if isInterrupted() || !deadline.lasts() { throw NoAnswer() }
            }
            var error: UnsafeMutablePointer<GError>?
            let value = finish(result.opaque, &error)
            g_clear_error(&error)
            return value
        } catch {
            return nil
        }
    }
}

private final class SignalReceiver {
    let take: (String, borrowing Variant) -> Void

    init(_ take: @escaping (String, borrowing Variant) -> Void) { self.take = take }
}
