internal import CGio

/// The desktop's notification service: Desktop Notifications Specification 1.2, as far as a sign-in needs it.
final class NotificationService {
    private let bus: NotificationBus
    private let limits: NotificationLimits
    private let isInterrupted: () -> Bool
    private let signals = NotificationSignals()
    /// What the service can do: `actions`, `body-markup`, ….
    let capabilities: [String]

    /// Finds the service; if nobody offers it yet, the bus starts whoever does.
    ///
    /// The result is nil if there is no bus, no service, or no answer within the time.
    ///
    /// - Parameters:
    ///   - address: where the session bus listens.
    ///   - limits: how long things may take.
    ///   - isInterrupted: asked every 100 milliseconds or less while somebody is waited for; once true, no longer.
    init?(onBus address: String, limits: NotificationLimits, isInterrupted: @escaping () -> Bool) {
        self.limits = limits
        self.isInterrupted = isInterrupted
        let begun = Int64(g_get_monotonic_time())
        guard let bus = NotificationBus(address: address, within: limits.searchMilliseconds, unless: isInterrupted)
        else { return nil }
        let left = limits.searchMilliseconds - (Int64(g_get_monotonic_time()) - begun) / 1_000
        let answer = bus.call(
            "GetCapabilities", nil, answer: "(as)", within: max(left, 1), unless: isInterrupted)
        guard let capabilities = answer?.member(0)?.texts else { return nil }
        self.bus = bus
        self.capabilities = capabilities
        bus.collectSignals(into: signals)
    }

    /// Shows a notification that stays until it is answered.
    ///
    /// - Parameters:
    ///   - text: its words.
    ///   - number: of the notification in whose place it comes; 0 for none.
    /// - Returns: its number; nil if it could not be shown.
    func ask(_ text: NotificationText, inPlaceOf number: UInt32) -> UInt32? {
        let actions = text.actions.flatMap { [$0.key, $0.label] }
        // `resident`: a button does not take it away, for the code has to be read after the page was opened.
        return notify(text, actions, urgency: 2, isResident: true, expiry: 0, inPlaceOf: number, isEnd: false)
    }

    /// Shows a notification that vanishes by itself.
    func tell(_ text: NotificationText, inPlaceOf number: UInt32) {
        _ = notify(text, [], urgency: 1, isResident: false, expiry: -1, inPlaceOf: number, isEnd: true)
    }

    /// Takes a notification away.
    func close(_ number: UInt32) {
        let arguments = g_variant_new_tuple([g_variant_new_uint32(number)], 1)
        // We may have been told to end, which is no reason to leave it there.
        _ = bus.call(
            "CloseNotification", arguments, answer: "()", within: limits.endMilliseconds, unless: { false })
    }

    /// What has happened, the oldest first.
    func nextEvent() -> NotificationSignals.Event? { signals.next() }

    /// Waits until something happens.
    ///
    /// - Parameter milliseconds: how long at most.
    func wait(milliseconds: Int64) {
        bus.iterate(forMilliseconds: milliseconds) { !signals.isEmpty || isInterrupted() }
    }

    private func notify(
        _ text: NotificationText, _ actions: [String], urgency: UInt8, isResident: Bool, expiry: Int32,
        inPlaceOf number: UInt32, isEnd: Bool
    ) -> UInt32? {
        var hints = [Self.hint("urgency", g_variant_new_byte(urgency))]
        if isResident { hints.append(Self.hint("resident", g_variant_new_boolean(1))) }
        let arguments = [
            g_variant_new_string("git-credential-gitspace"), g_variant_new_uint32(number),
            g_variant_new_string("dialog-password"), g_variant_new_string(text.summary),
            g_variant_new_string(text.body), Self.list(actions),
            g_variant_new_array(nil, hints, gsize(hints.count)), g_variant_new_int32(expiry),
        ]
        let answer = bus.call(
            "Notify", g_variant_new_tuple(arguments, gsize(arguments.count)), answer: "(u)",
            within: isEnd ? limits.endMilliseconds : limits.showMilliseconds,
            unless: isEnd ? { false } : isInterrupted)
        return answer?.member(0)?.number
    }

    private static func hint(_ name: String, _ value: OpaquePointer?) -> OpaquePointer? {
        g_variant_new_dict_entry(g_variant_new_string(name), g_variant_new_variant(value))
    }

    private static func list(_ texts: [String]) -> OpaquePointer? {
        let type = g_variant_type_new("s")
        defer { g_variant_type_free(type) }
        let members = texts.map { g_variant_new_string($0) }
        return g_variant_new_array(type, members, gsize(members.count))
    }
}
