import UserInterface

extension NotificationLimits {
    /// Limits long enough for a stalled machine; a test shortens the one that it is about.
    static func forTests(_ change: (inout NotificationLimits) -> Void) -> NotificationLimits {
        var limits = NotificationLimits()
        limits.searchMilliseconds = 60_000
        limits.showMilliseconds = 60_000
        limits.endMilliseconds = 60_000
        limits.lockMilliseconds = 60_000
        limits.questionMilliseconds = 120_000
        limits.afterActionMilliseconds = 60_000
        change(&limits)
        return limits
    }
}
