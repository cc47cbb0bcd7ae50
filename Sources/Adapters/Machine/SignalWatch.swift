internal import CProcess
internal import Glibc

/// The signals that ask us to end.
///
/// They are kept from interrupting anything, and looked for where it is safe to end.
package final class SignalWatch {
    private let descriptor: FileDescriptor
    /// Whether one has come.
    package private(set) var hasFired = false
    /// Whether what runs now must not be cut in two: neither by a signal nor because nobody waits for its result.
    package private(set) var isShielding = false

    /// Starts watching; from now on the signals wait to be looked for.
    ///
    /// The result is nil if the process has no descriptor left.
    package init?() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        sigprocmask(SIG_BLOCK, &signals, nil)
        guard let descriptor = FileDescriptor(gitspace_signal_descriptor(&signals)) else { return nil }
        self.descriptor = descriptor
    }

    /// Looks whether a signal has come; once one has, it has.
    package func look() -> Bool {
        guard !hasFired else { return true }
        hasFired = gitspace_take_signal(descriptor.number) != 0
        return hasFired
    }

    /// The descriptor that becomes readable when a signal comes.
    package var number: Int32 { descriptor.number }

    /// Runs `body` while signals wait.
    ///
    /// They wait in any case; but whoever looks for them, as a call to the keyring does, must not find them now.
    package func whileSignalsWait<Result>(_ body: () -> Result) -> Result {
        isShielding = true
        defer { isShielding = false }
        return body()
    }
}
