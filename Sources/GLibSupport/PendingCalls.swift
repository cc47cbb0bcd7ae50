package import CGLib

/// Runs asynchronous calls of GIO, or of a library over it, one at a time, until each ends or its caller gives up.
///
/// Synchronous calls can wait forever, and some ignore a GCancellable. So every call is started in a GMainContext of
/// ours, and a timer wakes us ten times a second to ask the caller. If the caller gives up and the cancelled call does
/// not return, the context is not iterated any more, so nothing of the call can run. The few bytes that the call would
/// write to are leaked on purpose, and every later call fails with the same failure.
///
/// A call must not block before it returns. GIO connects to the bus in its worker threads; everything else is messages.
package final class PendingCalls<Failure: Error> {
    /// Starts a call, and returns immediately.
    package typealias Start = (UnsafeMutablePointer<GCancellable>, @escaping GAsyncReadyCallback, gpointer) -> Void

    private let context: OpaquePointer
    private let graceMilliseconds: Int64
    /// The failure of the abandoned call and of all later ones.
    private var abandoned: Failure?

    /// `graceMilliseconds` is how long a cancelled call may take to return.
    package init(graceMilliseconds: Int64) {
        self.graceMilliseconds = graceMilliseconds
        context = g_main_context_new()
    }

    deinit {
        // An abandoned call may still have sources in the context.
        if abandoned == nil { g_main_context_unref(context) }
    }

    /// Runs a call; calls `check`, which may throw to give up, first and then ten times a second.
    ///
    /// - Returns: the result for the matching `…_finish` function.
    package func run(
        _ start: Start, whileWaiting check: () throws(Failure) -> Void
    ) throws(Failure) -> ObjectReference {
        if let abandoned { throw abandoned }
        try check()
        g_main_context_push_thread_default(context)
        defer { g_main_context_pop_thread_default(context) }
        let slot = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 1)
        slot.initialize(to: nil)
        let cancellable = ObjectReference(taking: UnsafeMutableRawPointer(g_cancellable_new()))
        start(cancellable.as(GCancellable.self), keepResult, slot)
        do throws(Failure) {
            let result = try wait(for: { slot.pointee }, checking: check)
            slot.deallocate()
            return ObjectReference(taking: UnsafeMutableRawPointer(result))
        } catch {
            g_cancellable_cancel(cancellable.as(GCancellable.self))
            iterate(forMilliseconds: graceMilliseconds) { slot.pointee != nil }
            if let late = slot.pointee {
                g_object_unref(UnsafeMutableRawPointer(late))
                slot.deallocate()
            } else {
                abandoned = error
            }
            throw error
        }
    }

    /// Waits until `value` returns something other than `nil`; calls `check`, which may throw to give up, ten times a
    /// second.
    package func wait<Value>(
        for value: () -> Value?, checking check: () throws(Failure) -> Void
    ) throws(Failure) -> Value {
        let ticks = Ticks(every: 100, in: context)
        defer { ticks.stop() }
        while true {
            if let value = value() { return value }
            try check()
            g_main_context_iteration(context, 1)
        }
    }

    /// Handles events until the time is over, `isDone` returns true, a descriptor of `reading` has input, or one of
    /// either list is at its end.
    package func iterate(
        forMilliseconds milliseconds: Int64, reading: [Int32] = [], ending: [Int32] = [], until isDone: () -> Bool
    ) {
        let end = GLibProcess.now + milliseconds
        let ticks = Ticks(every: max(1, milliseconds), in: context)
        defer { ticks.stop() }
        let ended = G_IO_ERR.rawValue | G_IO_HUP.rawValue
        var watched = reading.map { GPollFD(fd: $0, events: gushort(G_IO_IN.rawValue | ended), revents: 0) }
        watched += ending.map { GPollFD(fd: $0, events: gushort(ended), revents: 0) }
        watched.withUnsafeMutableBufferPointer { watched in
            let entries = watched.indices.compactMap { index in watched.baseAddress.map { $0 + index } }
            for entry in entries { g_main_context_add_poll(context, entry, G_PRIORITY_DEFAULT) }
            defer { for entry in entries { g_main_context_remove_poll(context, entry) } }
            while !isDone(), GLibProcess.now < end, entries.allSatisfy({ $0.pointee.revents == 0 }) {
                g_main_context_iteration(context, 1)
            }
        }
    }

    /// Runs `body` in our context, so that its subscriptions receive events while we iterate.
    package func inContext(_ body: () -> Void) {
        g_main_context_push_thread_default(context)
        defer { g_main_context_pop_thread_default(context) }
        body()
    }
}

private let keepResult: GAsyncReadyCallback = { _, result, slot in
    guard let result, let slot else { return }
    g_object_ref(UnsafeMutableRawPointer(result))
    slot.assumingMemoryBound(to: OpaquePointer?.self).pointee = result
}

/// A timer that wakes an iteration of a GMainContext.
private struct Ticks {
    private let source: UnsafeMutablePointer<GSource>?

    init(every milliseconds: Int64, in context: OpaquePointer) {
        source = g_timeout_source_new(guint(milliseconds))
        g_source_set_callback(source, { _ in 1 }, nil, nil)
        g_source_attach(source, context)
    }

    func stop() {
        g_source_destroy(source)
        g_source_unref(source)
    }
}
