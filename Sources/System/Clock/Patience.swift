/// How long another program may keep us waiting, in milliseconds.
///
/// It is charged only with time in which we could look, ten times a second. If the whole machine stands still, like a
/// busy virtual one or after Ctrl-Z, neither we nor the other program can do anything, and it must not be blamed.
package struct Patience {
    /// Milliseconds between two looks.
    package static let interval: Int64 = 100
    /// The most that one look is charged with, in milliseconds.
    private static let longest: Int64 = 250

    private var remaining: Int64
    private var last = SystemClock().uptimeMilliseconds

    /// Starts to run when it is made.
    package init(milliseconds: Int64) { remaining = milliseconds }

    /// What the time between two looks is charged with, in milliseconds.
    package static func charge(for elapsed: Int64) -> Int64 { min(max(elapsed, 0), longest) }

    /// Looks at the clock.
    ///
    /// - Returns: whether there is time left.
    package mutating func lasts() -> Bool {
        let now = SystemClock().uptimeMilliseconds
        remaining -= Self.charge(for: now - last)
        last = now
        return remaining > 0
    }
}
