internal import CProcess
internal import Glibc

/// Watches for signals that ask the process to end or to stop, and checks for them where the process can do so safely.
package final class SignalWatch {
    /// All signals but SIGTSTP, which stays pending until the process stops.
    private let taken: FileDescriptor
    private let descriptor: FileDescriptor
    package private(set) var hasFired = false
    /// Whether the signal to end was SIGINT, as from Ctrl-C.
    package private(set) var isInterrupt = false
    /// Whether neither a signal nor the caller's end may interrupt the current work.
    package private(set) var isShielding = false

    /// Called before the process stops (Ctrl-Z), while the terminal is still ours.
    package var willStop: (() -> Void)?
    /// Called when the process continues, in the foreground or in the background.
    package var hasContinued: (() -> Void)?

    /// Holds signals back until `look` checks them; returns `nil` if the process has no descriptor left.
    ///
    /// Must be called while the process has one thread: threads inherit the blocked signals, and a thread that does not
    /// block SIGTSTP (such as GLib's) would stop the process before anything could be prepared.
    package init?() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCONT] { sigaddset(&signals, signal) }
        guard let taken = FileDescriptor(gitspace_signal_descriptor(&signals)) else { return nil }
        sigaddset(&signals, SIGTSTP)
        sigprocmask(SIG_BLOCK, &signals, nil)
        guard let descriptor = FileDescriptor(gitspace_signal_descriptor(&signals)) else { return nil }
        self.taken = taken
        self.descriptor = descriptor
    }

    /// Whether a signal to end has arrived; once true, always true.
    ///
    /// A signal to stop stops the process in this call, which returns when the process continues.
    package func look() -> Bool {
        while !hasFired {
            switch gitspace_take_signal(taken.number) {
            case 0:
                var pending = sigset_t()
                sigpending(&pending)
                guard sigismember(&pending, SIGTSTP) == 1 else { return false }
                stop()
            case SIGCONT: hasContinued?()
            case let signal:
                hasFired = true
                isInterrupt = signal == SIGINT
            }
        }
        return true
    }

    /// Stops the process with the pending signal itself.
    ///
    /// A shell that has seen git stop may continue the job before this process has stopped. Its SIGCONT discards the
    /// pending SIGTSTP (POSIX, 2.4.1); a signal of our own would then stop the process for good. The kernel also
    /// ignores SIGTSTP in an orphaned process group (setpgid(2)), which nobody could continue.
    private func stop() {
        willStop?()
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // The process stops here.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        hasContinued?()
    }

    package var number: Int32 { descriptor.number }

    /// Runs code in which the end must not be noticed, such as a save; the signals are blocked anyway.
    package func whileSignalsWait<Result>(_ body: () -> Result) -> Result {
        isShielding = true
        defer { isShielding = false }
        return body()
    }
}
