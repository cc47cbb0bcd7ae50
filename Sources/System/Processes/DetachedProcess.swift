internal import Glibc

/// A program that goes its own way: a browser, a clipboard's keeper.
///
/// It has a session of its own and so no terminal, the null device for what it says, and none of our descriptors: a
/// browser that lives on must neither write into git's protocol nor keep a pipe of git's open. It stays when we end.
package struct DetachedProcess {
    private let id: pid_t
    private var end: ChildProcess.State?

    /// Starts a program that is found on the PATH; no shell is involved.
    ///
    /// The result is nil if it could not be started.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments; no secret may be among them.
    ///   - input: what it reads; nil for nothing.
    package init?(_ command: [String], input: String? = nil) {
        guard let id = ChildProcess.detach(command, input: input) else { return nil }
        self.id = id
    }

    /// Looks how it stands, without waiting.
    package mutating func look() -> ChildProcess.State {
        if let end { return end }
        let state = ChildProcess.state(of: id)
        if state != .running { end = state }
        return state
    }

    /// Ends it, if it has not ended yet: its number is ours until we have seen its end.
    package mutating func stop() {
        guard look() == .running else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        end = .failed
    }
}
