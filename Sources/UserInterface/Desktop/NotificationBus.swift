internal import CGio

/// A connection to the session bus on which no call lasts longer than its deadline.
///
/// A connection of our own, and not the one that GIO shares: what hangs here must not hang the keyring. Every call is
/// started in a main context which only we iterate, so that its deadline depends neither on GDBus nor on the bus or the
/// service. A call that does not even end when it is cancelled is left behind, with the few bytes that it would write to,
/// and every later one fails at once.
final class NotificationBus {
    private let context: OpaquePointer
    private var connection: OpaquePointer?
    /// Whether a call had to be left behind.
    private var isLost = false

    /// For a cancelled call to come back.
    private static let graceMilliseconds: Int64 = 100

    /// Connects; nil if nobody listens there, or not to us.
    ///
    /// - Parameters:
    ///   - address: where the bus listens.
    ///   - milliseconds: how long that may take.
    ///   - isInterrupted: asked every 100 milliseconds or less; once true, the wait is over.
    init?(address: String, within milliseconds: Int64, unless isInterrupted: () -> Bool) {
        context = g_main_context_new()
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        let result = run(within: milliseconds, unless: isInterrupted) {
            g_dbus_connection_new_for_address(address, flags, nil, $0, $1, $2)
        }
        guard let result else { return nil }
        connection = Self.finish { g_dbus_connection_new_for_address_finish(result, $0) }
        g_object_unref(UnsafeMutableRawPointer(result))
        guard connection != nil else { return nil }
    }

    deinit {
        // What was left behind may still hold both.
        guard !isLost else { return }
        if let connection { g_object_unref(UnsafeMutableRawPointer(connection)) }
        g_main_context_unref(context)
    }

    /// Calls a method of the notification service.
    ///
    /// - Parameters:
    ///   - method: its name.
    ///   - arguments: a tuple; a floating reference is taken over. Nil for none.
    ///   - type: the type of the answer; any other is a failure.
    ///   - milliseconds: how long it may take.
    ///   - isInterrupted: asked every 100 milliseconds or less; once true, the wait is over.
    /// - Returns: the answer; nil for every kind of failure, which all mean the same to us.
    func call(
        _ method: String, _ arguments: OpaquePointer?, answer type: String, within milliseconds: Int64,
        unless isInterrupted: () -> Bool
    ) -> NotificationVariant? {
        let answerType = g_variant_type_new(type)
        defer { g_variant_type_free(answerType) }
        // Sunk here: a call that is not even begun would leave it floating.
        let arguments = arguments.flatMap { g_variant_ref_sink($0) }
        defer { arguments.map { g_variant_unref($0) } }
        let result = run(within: milliseconds, unless: isInterrupted) {
            g_dbus_connection_call(
                connection, Self.name, Self.path, Self.name, method, arguments, answerType,
                G_DBUS_CALL_FLAGS_NONE, Int32(clamping: milliseconds), $0, $1, $2)
        }
        guard let result else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(result)) }
        return Self.finish { g_dbus_connection_call_finish(connection, result, $0) }.map {
            NotificationVariant(taking: $0)
        }
    }

    /// Keeps the service's signals, from now on and as long as the process runs.
    func collectSignals(into signals: NotificationSignals) {
        g_main_context_push_thread_default(context)
        defer { g_main_context_pop_thread_default(context) }
        g_dbus_connection_signal_subscribe(
            connection, Self.name, Self.name, nil, Self.path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, member, arguments, signals in
                guard let member, let arguments, let signals else { return }
                Unmanaged<NotificationSignals>.fromOpaque(signals).takeUnretainedValue()
                    .take(String(cString: member), NotificationVariant(taking: g_variant_ref(arguments)))
            }, Unmanaged.passRetained(signals).toOpaque(), nil)
    }

    /// Lets come what comes.
    ///
    /// - Parameters:
    ///   - milliseconds: how long at most.
    ///   - isDone: asked every 100 milliseconds, and whenever something has come.
    func iterate(forMilliseconds milliseconds: Int64, until isDone: () -> Bool) {
        let end = Int64(g_get_monotonic_time()) + milliseconds * 1_000
        let ticks = g_timeout_source_new(guint(clamping: min(max(milliseconds, 1), 100)))
        g_source_set_callback(ticks, { _ in 1 }, nil, nil)
        g_source_attach(ticks, context)
        defer {
            g_source_destroy(ticks)
            g_source_unref(ticks)
        }
        while g_main_context_iteration(context, 0) != 0 {}
        while !isDone(), Int64(g_get_monotonic_time()) < end { g_main_context_iteration(context, 1) }
    }

    /// Runs an asynchronous call.
    ///
    /// - Parameters:
    ///   - milliseconds: how long it may take.
    ///   - isInterrupted: whether not to wait any longer.
    ///   - start: starts the call with the given cancellable, callback and user data.
    /// - Returns: the `GAsyncResult`, a reference of the caller's; nil if there is none.
    private func run(
        within milliseconds: Int64, unless isInterrupted: () -> Bool,
        _ start: (UnsafeMutablePointer<GCancellable>?, @escaping GAsyncReadyCallback, gpointer) -> Void
    ) -> OpaquePointer? {
        guard !isLost else { return nil }
        g_main_context_push_thread_default(context)
        defer { g_main_context_pop_thread_default(context) }
        let slot = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 1)
        slot.initialize(to: nil)
        let cancellable = g_cancellable_new()
        defer { g_object_unref(cancellable) }
        start(cancellable, Self.keepResult, slot)
        iterate(forMilliseconds: milliseconds) { slot.pointee != nil || isInterrupted() }
        if slot.pointee == nil {
            g_cancellable_cancel(cancellable)
            iterate(forMilliseconds: Self.graceMilliseconds) { slot.pointee != nil }
        }
        guard let result = slot.pointee else {
            isLost = true
            return nil
        }
        slot.deallocate()
        return result
    }

    private static let keepResult: GAsyncReadyCallback = { _, result, slot in
        guard let result, let slot else { return }
        g_object_ref(UnsafeMutableRawPointer(result))
        slot.assumingMemoryBound(to: OpaquePointer?.self).pointee = result
    }

    /// Runs a `…_finish` function, and frees the error that it may report.
    private static func finish<Value>(_ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Value?) -> Value?
    {
        var error: UnsafeMutablePointer<GError>?
        let value = body(&error)
        g_clear_error(&error)
        return value
    }

    /// The service's name on the bus, and its interface's.
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
}
