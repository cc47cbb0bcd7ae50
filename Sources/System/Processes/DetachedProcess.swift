internal import Glibc

/// A program that runs independently: a browser, or a clipboard program.
///
/// It gets a session of its own and therefore no terminal, the null device for its output, and none of our descriptors:
/// a browser that keeps running must neither write into git's protocol nor keep a pipe of git's open. It continues
/// after this process has ended.
package struct DetachedProcess {
    private let id: pid_t
    private var end: ChildProcess.State?

    /// Starts a program that is found on the PATH; no shell is involved.
    ///
    /// The result is nil if it could not be started.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments; no secret may be among them.
    ///   - input: its standard input; nil for none.
    package init?(_ command: [String], input: String? = nil) {
        guard let id = ChildProcess.detach(command, input: input) else { return nil }
        self.id = id
    }

    /// Returns its state without waiting.
    package mutating func look() -> ChildProcess.State {
        if let end { return end }
        let state = ChildProcess.state(of: id)
        if state != .running { end = state }
        return state
    }

    /// Ends it if it is still running.
    ///
    /// Its process ID belongs to it until we have seen its end.
    package mutating func stop() {
        guard look() == .running else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        end = .failed
    }
}
