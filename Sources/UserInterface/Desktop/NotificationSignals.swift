internal import GLibSupport

/// The signals of the notification service that nobody has looked at yet.
///
/// Some services send everybody the signals about everybody's notifications.
final class NotificationSignals {
    /// What has happened to a notification.
    enum Event: Equatable {
        /// A button was pressed, or the notification itself: its key is `default`.
        case action(UInt32, key: String)
        /// It is gone. Reason 1: its time is over; 2: the person has sent it away; 3: `CloseNotification`.
        case closed(UInt32, reason: UInt32)
    }

    private var events: [Event] = []

    /// Takes a signal in; what is none of the two is dropped.
    func take(_ member: String, _ arguments: borrowing Variant) {
        guard let number = arguments.member(0)?.uint32 else { return }
        if member == "ActionInvoked", let key = arguments.member(1)?.string { events.append(.action(number, key: key)) }
        if member == "NotificationClosed", let reason = arguments.member(1)?.uint32 {
            events.append(.closed(number, reason: reason))
        }
    }

    /// Whether there is none.
    var isEmpty: Bool { events.isEmpty }

    /// Gives out the oldest.
    func next() -> Event? { events.isEmpty ? nil : events.removeFirst() }
}
