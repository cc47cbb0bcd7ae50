/// How long the keyring may take, in milliseconds.
package struct KeyringLimits {
    /// All calls of the process together during which nobody is asked anything.
    ///
    /// With the quarter of a second that the front door has waited before, and another for a call that is given up, it
    /// is five seconds at most that a person waits for nothing.
    package var silentMilliseconds = 4_400
    /// One prompt, from its appearance on.
    package var promptMilliseconds = 120_000
    /// A prompt that should need nobody.
    package var unaskedMilliseconds = 1_000
    /// One save with all its attempts: it has an allowance of its own, since what was exchanged must not be lost.
    package var saveMilliseconds = 10_000

    package init() {}
}
