package import CGLib
internal import System

/// Runs asynchronous calls of GIO, or of a library over it, one by one, each until it ends or its caller gives up.
///
/// Synchronous calls can wait forever, and some ignore a GCancellable; hence an end that does not depend on any
/// library. It needs no second thread: every call is started in a GMainContext of ours, which only we iterate. A timer
/// wakes us ten times a second to ask the caller. If the caller gives up, and the call does not return even after it is
/// cancelled, we stop iterating, so that nothing of the abandoned call can run any more; the few bytes it would write
/// to are leaked on purpose, and every later call fails at once with the same failure.
///
/// That is sound as long as no call blocks before it returns. Connecting to the bus happens in GIO's worker threads;
/// everything else is messages.
package final class PendingCalls<Failure: Error> {
    /// It returns at once.
    package typealias Start = (UnsafeMutablePointer<GCancellable>, @escaping GAsyncReadyCallback, gpointer) -> Void

    private let context: OpaquePointer
    private let graceMilliseconds: Int64
    /// No later call can be trusted to answer.
    private var abandoned: Failure?

    /// The grace is how long a cancelled call may take to return.
    package init(graceMilliseconds: Int64) {
        self.graceMilliseconds = graceMilliseconds
        context = g_main_context_new()
    }

    deinit {
        // An abandoned call may still have sources in the context.
        if abandoned == nil { g_main_context_unref(context) }
    }

    /// `check` is asked before, and ten times a second while waiting; it gives up by throwing.
    ///
    /// - Returns: the result to be given to the matching `…_finish` function.
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

    /// For something that is not a call: `value` returns nil until it is there.
    ///
    /// `check` is asked ten times a second; it gives up by throwing.
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

    /// `isDone` is asked at least ten times a second, and after each event.
    package func iterate(forMilliseconds milliseconds: Int64, until isDone: () -> Bool) {
        var deadline = Deadline(in: milliseconds)
        let ticks = Ticks(every: max(1, min(milliseconds / 10, 100)), in: context)
        defer { ticks.stop() }
        while !isDone(), deadline.lasts() { g_main_context_iteration(context, 1) }
    }

    /// The subscriptions of `body` then receive events while we iterate.
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

/// Their only purpose is to wake an iteration of a GMainContext.
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
