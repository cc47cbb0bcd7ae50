internal import CGLib
package import System

/// Over a separate connection, with a deadline for each call.
///
/// Not the connection that GIO shares: a service that hangs must not block the keyring. The interface has the service's
/// name, as is usual, unless another one is given.
package final class BusService {
    private let calls = PendingCalls<NoAnswer>(graceMilliseconds: 100)
    private let connection: ObjectReference
    private let name: String
    private let path: String
    private let interface: String

    /// An error of any kind, which callers need not tell apart.
    private struct NoAnswer: Error {}

    /// Nil if nothing listens there, the bus refuses us, or it is neither ours nor root's.
    ///
    /// The interface is the one whose methods are called and whose signals are collected. `isInterrupted` is asked ten
    /// times a second; once true, the wait is over.
    package init?(
        _ name: String, at path: String, interface: String? = nil, on address: SessionBusAddress,
        within milliseconds: Int64,
        unless isInterrupted: () -> Bool
    ) {
        precondition(GLibProcess.isPrepared)
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

    /// Nil for every kind of failure, an answer of another type included.
    ///
    /// `isInterrupted` is asked ten times a second; once true, the wait is over.
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

    /// By name and arguments, from now on and as long as the process runs.
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

    /// `isDone` is asked at least ten times a second, and after each event.
    package func iterate(forMilliseconds milliseconds: Int64, until isDone: () -> Bool) {
        calls.iterate(forMilliseconds: milliseconds, until: isDone)
    }

    /// Frees any error that the call reports.
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

/// An object, so that C can keep a pointer to it.
private final class SignalReceiver {
    let take: (String, borrowing Variant) -> Void

    init(_ take: @escaping (String, borrowing Variant) -> Void) { self.take = take }
}
