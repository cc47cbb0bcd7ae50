/// How long we wait for the keyring, in all calls that share the budget.
final class TimeBudget {
    /// The initial time, in milliseconds.
    let milliseconds: Int
    /// The remaining time, in milliseconds.
    private(set) var remaining: Int64

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
        remaining = Int64(milliseconds)
    }

    /// Deducts time that was spent waiting, in milliseconds.
    func spend(_ milliseconds: Int64) { remaining -= min(max(milliseconds, 0), remaining) }

    /// The error once it is used up.
    var exhausted: CallFailure { .unresponsive(seconds: (milliseconds + 999) / 1000) }
}
