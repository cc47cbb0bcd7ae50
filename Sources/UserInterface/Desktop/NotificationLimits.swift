internal import Helper

/// Time limits of the notification, in milliseconds unless the name says seconds.
package struct NotificationLimits {
    /// Finding the notification service, which may have to be started first.
    package var searchMilliseconds: Int64 = 3_000
    /// Showing a notification.
    package var showMilliseconds: Int64 = 3_000
    /// Changing or removing a notification, while git waits for our answer.
    package var endMilliseconds: Int64 = 1_000
    /// Waiting for the person, in total.
    package var patienceMilliseconds: Int64 = 180_000
    /// Waiting for the person's decision about a shared place.
    package var questionMilliseconds: Int64 = SharePrompt.patience
    /// One service's answer whether the screen is locked.
    package var lockMilliseconds: Int64 = 500
    /// Showing none, after the person has dismissed a notification or left it unanswered.
    package var silenceSeconds: Int64 = 600
    /// A notification that closes this soon after one of its buttons was pressed was closed by that press.
    package var afterActionMilliseconds: Int64 = 2_000

    package init() {}
}
