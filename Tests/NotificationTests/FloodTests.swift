import CGLib
import GLibSupport
import Testing
import UserInterface

@Suite("Floods of signals")
struct FloodTests {
    @Test("ends a wait in time although there is always something to read")
    func time() {
        let calls = PendingCalls<CancellationError>(graceMilliseconds: 0)
        calls.inContext {
            let source = g_idle_source_new()
            g_source_set_callback(source, { _ in 1 }, nil, nil)
            g_source_attach(source, g_main_context_get_thread_default())
            g_source_unref(source)
        }
        let most = 1_000_000
        var turns = 0
        calls.iterate(forMilliseconds: 1) {
            turns += 1
            return turns == most
        }
        #expect(turns < most)
    }

    @Test("keeps unread signals up to a limit")
    func count() {
        let signals = NotificationSignals()
        for number in 1...10_000 as ClosedRange<UInt32> {
            signals.take("ActionInvoked", Variant(.tuple([.uint32(number), .string("default")])))
        }
        var events: [NotificationSignals.Event] = []
        while let event = signals.next() { events.append(event) }
        #expect(events.first == .action(1, key: "default") && events.count <= 100)
    }
}
