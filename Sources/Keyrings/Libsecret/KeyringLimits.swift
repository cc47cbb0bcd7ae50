/// How long the keyring may take, in milliseconds.
package struct KeyringLimits {
    /// All calls of the process together, not counting the time of prompts.
    ///
    /// With the quarter of a second that the front door has waited before, and another for a call that is cancelled,
    /// a person waits for an unresponsive keyring for at most five seconds.
    package var silentMilliseconds = 4_400
    /// One prompt, from the moment it appears.
    package var promptMilliseconds = 120_000
    /// A prompt that should complete without a person.
    package var unaskedMilliseconds = 1_000
    /// One save with all its attempts; it has its own budget, since a token that was just obtained must not be lost.
    package var saveMilliseconds = 10_000

    package init() {}
}
