/// How long the keyring may keep us waiting, over all calls that share the budget.
final class TimeBudget {
    /// What there was in the beginning, in milliseconds.
    let milliseconds: Int
    /// What is left of it, in milliseconds.
    private(set) var remaining: Int64

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
        remaining = Int64(milliseconds)
    }

    /// Takes time that was spent waiting, in milliseconds.
    func spend(_ milliseconds: Int64) { remaining -= min(max(milliseconds, 0), remaining) }

    /// What is said once it is used up.
    var exhausted: CallFailure { .unresponsive(seconds: (milliseconds + 999) / 1000) }
}
