internal import Helper

/// How long things may take that have to do with the notification, in milliseconds.
package struct NotificationLimits {
    /// Finding the notification service, which may have to be started first.
    package var searchMilliseconds: Int64 = 3_000
    /// Putting a notification on the screen.
    package var showMilliseconds: Int64 = 3_000
    /// Changing or taking away one that is there, while git waits for our answer.
    package var endMilliseconds: Int64 = 1_000
    /// Waiting for the person, in all.
    package var patienceMilliseconds: Int64 = 180_000
    /// Waiting for the person's word about a shared place.
    package var questionMilliseconds: Int64 = ShareQuestion.patience
    /// Being silent, after the person has sent away a notification or has not answered it.
    package var silenceSeconds: Int64 = 600
    /// A notification that vanishes so soon after its button was pressed has vanished because of that.
    package var afterActionMilliseconds: Int64 = 2_000

    package init() {}
}
