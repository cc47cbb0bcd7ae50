internal import CProcess
internal import Glibc

/// A watch for the signals that ask the process to end, or to stop for a while.
///
/// They do not interrupt anything. The process checks for them where it is safe to end or to stop.
package final class SignalWatch {
    /// All but SIGTSTP, which stays pending until the process stops.
    private let taken: FileDescriptor
    private let descriptor: FileDescriptor
    /// For a signal to end.
    package private(set) var hasFired = false
    /// That signal was SIGINT, which Ctrl-C sends.
    package private(set) var isInterrupt = false
    /// Neither a signal nor the end of whoever waits for the result may then interrupt the current work.
    package private(set) var isShielding = false

    /// Ctrl-Z: the terminal goes to another program.
    package var willStop: (() -> Void)?
    /// In the foreground or in the background.
    package var hasContinued: (() -> Void)?

    /// From now on, signals are held back until they are checked; nil if the process has no descriptor left.
    ///
    /// This must be called while the process has one thread: threads inherit the blocked signals, and a thread that
    /// does not block SIGTSTP (such as GLib's) would stop the process before anything could be prepared.
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

    /// For a signal to end; once this is true, it stays true.
    ///
    /// If the process is to stop, it stops in this call, which returns when the process continues.
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

    /// By the signal itself, which is still pending.
    ///
    /// A shell that has seen git stop may continue the job before this process has stopped. Its SIGCONT discards the
    /// pending SIGTSTP (POSIX, 2.4.1 Signal Generation and Delivery); a signal of our own would then stop the process
    /// for good. The kernel also ignores SIGTSTP where nobody could continue the process (an orphaned process group,
    /// setpgid(2)).
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

    /// It becomes readable when a signal comes.
    package var number: Int32 { descriptor.number }

    /// They are blocked anyway; but code that checks for them, such as a call to the keyring, must not find them now.
    package func whileSignalsWait<Result>(_ body: () -> Result) -> Result {
        isShielding = true
        defer { isShielding = false }
        return body()
    }
}
