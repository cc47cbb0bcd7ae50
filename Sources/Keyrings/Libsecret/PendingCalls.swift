internal import CLibsecret

/// Runs the asynchronous calls of GIO and libsecret one by one, each to its end or to a deadline of our own.
///
/// libsecret's synchronous calls can wait for ever, and some ignore a GCancellable; hence a deadline that does not depend
/// on the library. It needs no second thread: every call is started in a GMainContext of ours, which only we iterate. A
/// timer wakes us ten times a second to look at the clock. At the deadline we stop iterating, so that nothing of the
/// abandoned call can run any more; the few bytes it would write to are leaked on purpose, and the keyring answers every
/// later call with the same failure at once.
///
/// That is sound as long as no call blocks before it returns. Connecting to the bus happens in GIO's worker threads; all
/// else is messages. One place remains: when an answer names a prompt, libsecret makes a proxy for it synchronously, two
/// questions to the bus itself (never to the keyring), for which GDBus waits 25 seconds each. So only a bus that stops
/// between two messages, and no keyring, can hold us longer than the deadline, and then for 50 seconds.
final class PendingCalls {
    /// What a call may take; replaced while a call with an allowance of its own is under way.
    var budget: TimeBudget
    private let context: OpaquePointer
    private let promptMilliseconds: Int
    private let interrupted: () -> Bool
    private let willPrompt: () -> Void
    /// Set once a call had to be left behind: nothing behind it can be trusted to answer.
    private var abandoned: CallFailure?

    private static let tickMilliseconds: Int64 = 100
    /// For a cancelled call to come back, and for a prompt to vanish from the screen.
    private static let graceMilliseconds: Int64 = 250

    /// How long a call may wait for a person.
    enum Prompting {
        /// Not at all: the deadline stays what it is even if the service names a prompt. KeePassXC answers each
        /// creation and deletion with one that completes by itself.
        case none
        /// As long as the prompt may be open. The person is told once it has been open for so many milliseconds.
        case announced(afterMilliseconds: Int64)
    }

    /// Prepares to run calls.
    ///
    /// - Parameters:
    ///   - budget: for all calls together, but for the time that a prompt is open.
    ///   - promptMilliseconds: how long one prompt may be open.
    ///   - interrupted: polled while waiting, at least every 100 milliseconds.
    ///   - willPrompt: called when a person is about to be asked something.
    init(
        budget: TimeBudget, promptMilliseconds: Int, interrupted: @escaping () -> Bool,
        willPrompt: @escaping () -> Void
    ) {
        self.budget = budget
        self.promptMilliseconds = promptMilliseconds
        self.interrupted = interrupted
        self.willPrompt = willPrompt
        context = g_main_context_new()
    }

    deinit {
        // What was left behind may still hold sources in the context.
        if abandoned == nil { g_main_context_unref(context) }
    }

    /// Starts a call and waits for it.
    ///
    /// - Parameters:
    ///   - service: the service whose prompts are to be watched, if there is one yet.
    ///   - prompting: what to do while a prompt is open.
    ///   - start: starts the call with the given cancellable, callback and user data, and returns at once.
    /// - Returns: the result to be given to the matching `…_finish` function.
    /// - Throws: `.unresponsive` at the deadline, `.interrupted`.
    func run(
        watching service: UnsafeMutablePointer<SecretService>? = nil, prompting: Prompting = .none,
        _ start: (UnsafeMutablePointer<GCancellable>, @escaping GAsyncReadyCallback, gpointer) -> Void
    ) throws(CallFailure) -> ObjectReference {
        if let abandoned { throw abandoned }
        if budget.remaining == 0 { throw budget.exhausted }
        g_main_context_push_thread_default(context)
        defer { g_main_context_pop_thread_default(context) }

        let slot = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 1)
        slot.initialize(to: nil)
        let cancellable = ObjectReference(taking: UnsafeMutableRawPointer(g_cancellable_new()))
        start(cancellable.as(GCancellable.self), Self.keepResult, slot)

        var failure: CallFailure?
        do {
            try wait(watching: service, prompting: prompting) { slot.pointee != nil }
        } catch {
            failure = error
            g_cancellable_cancel(cancellable.as(GCancellable.self))
            iterate(forMilliseconds: Self.graceMilliseconds) { slot.pointee != nil }
        }
        guard let result = slot.pointee else {
            let reason = failure ?? budget.exhausted
            abandoned = reason
            throw reason
        }
        slot.deallocate()
        let finished = ObjectReference(taking: UnsafeMutableRawPointer(result))
        if let failure { throw failure }
        return finished
    }

    /// Waits before another attempt, within the budget.
    ///
    /// - Throws: `.unresponsive` if the budget ends before, `.interrupted`.
    func pause(milliseconds: Int64) throws(CallFailure) {
        let end = GLibProcess.now + milliseconds
        try wait(watching: nil, prompting: .none) { GLibProcess.now >= end }
    }

    private static let keepResult: GAsyncReadyCallback = { _, result, slot in
        guard let result, let slot else { return }
        g_object_ref(UnsafeMutableRawPointer(result))
        slot.assumingMemoryBound(to: OpaquePointer?.self).pointee = result
    }

    /// Iterates until `isDone`, charging the budget for all time during which no person is asked.
    private func wait(
        watching service: UnsafeMutablePointer<SecretService>?, prompting: Prompting, isDone: () -> Bool
    ) throws(CallFailure) {
        let ticks = Ticks(every: Self.tickMilliseconds, in: context)
        defer { ticks.stop() }
        var last = GLibProcess.now
        var isAnnounced = false
        while !isDone() {
            if interrupted() { throw .interrupted }
            let opened = service.flatMap { PromptingService.promptBegan(of: $0) }
            let now = GLibProcess.now
            if let opened, case .announced(let delay) = prompting {
                if now - opened >= Int64(promptMilliseconds) {
                    throw .unresponsive(seconds: promptMilliseconds / 1000)
                }
                if !isAnnounced, now - opened >= delay {
                    isAnnounced = true
                    willPrompt()
                }
            } else {
                budget.spend(now - last)
                if budget.remaining == 0 { throw budget.exhausted }
            }
            last = now
            g_main_context_iteration(context, 1)
        }
        budget.spend(GLibProcess.now - last)
    }

    private func iterate(forMilliseconds milliseconds: Int64, until isDone: () -> Bool) {
        let end = GLibProcess.now + milliseconds
        let ticks = Ticks(every: milliseconds / 10, in: context)
        defer { ticks.stop() }
        while !isDone(), GLibProcess.now < end { g_main_context_iteration(context, 1) }
    }
}

/// A timer that does nothing but wake an iteration of a GMainContext.
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
