internal import CProcess
internal import Glibc

/// The signals that ask us to end, or to stop for a while.
///
/// They are kept from interrupting anything, and looked for where it is safe to end or to stop.
package final class SignalWatch {
    private let descriptor: FileDescriptor
    /// Whether one has come.
    package private(set) var hasFired = false
    /// Whether what runs now must not be cut in two: neither by a signal nor because nobody waits for its result.
    package private(set) var isShielding = false

    /// What has to be put in order before the process stops (Ctrl-Z): the terminal is somebody else's then.
    package var willStop: (() -> Void)?
    /// What is done when it goes on, in the foreground or in the background.
    package var hasContinued: (() -> Void)?

    /// Starts watching; from now on the signals wait to be looked for.
    ///
    /// Must be called while the process has one thread: threads inherit what is blocked, and one that does not block
    /// SIGTSTP (GLib's, say) would stop the process before anything could be put in order.
    ///
    /// The result is nil if the process has no descriptor left.
    package init?() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT] { sigaddset(&signals, signal) }
        sigprocmask(SIG_BLOCK, &signals, nil)
        guard let descriptor = FileDescriptor(gitspace_signal_descriptor(&signals)) else { return nil }
        self.descriptor = descriptor
    }

    /// Looks whether a signal to end has come; once one has, it has.
    ///
    /// If the process is to stop, it stops in here, and the call returns when it goes on.
    package func look() -> Bool {
        while !hasFired {
            switch gitspace_take_signal(descriptor.number) {
            case 0: return false
            case SIGTSTP: stop()
            case SIGCONT: hasContinued?()
            default: hasFired = true
            }
        }
        return true
    }

    /// Stops, as the signal would have done.
    ///
    /// SIGSTOP would do it even where nobody is there to wake us; the kernel drops SIGTSTP then (a process group without
    /// a shell: `setpgid(2)`, orphaned).
    private func stop() {
        willStop?()
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        raise(SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // Here it stops.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        hasContinued?()
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
