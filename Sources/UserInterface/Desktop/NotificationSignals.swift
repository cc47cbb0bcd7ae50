internal import GLibSupport

/// The signals of the notification service that have not been handled yet.
///
/// Some services send all clients the signals about all notifications.
final class NotificationSignals {
    /// What has happened to a notification.
    enum Event: Equatable {
        /// A button was pressed, or the notification itself, whose key is `default`.
        case action(UInt32, key: String)
        /// It was closed. Reason 1: it has expired; 2: the person has dismissed it; 3: `CloseNotification`.
        case closed(UInt32, reason: UInt32)
    }

    private var events: [Event] = []

    /// Adds a signal; all but these two are dropped.
    func take(_ member: String, _ arguments: borrowing Variant) {
        guard let number = arguments.member(0)?.uint32 else { return }
        if member == "ActionInvoked", let key = arguments.member(1)?.string { events.append(.action(number, key: key)) }
        if member == "NotificationClosed", let reason = arguments.member(1)?.uint32 {
            events.append(.closed(number, reason: reason))
        }
    }

    var isEmpty: Bool { events.isEmpty }

    /// Removes the oldest event and returns it.
    func next() -> Event? { events.isEmpty ? nil : events.removeFirst() }
}
