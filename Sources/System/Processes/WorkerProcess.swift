internal import CProcess
internal import Glibc

/// Our own program, started for one connection, which it owns from then on.
///
/// It finds the connection as its standard input, and its end of a channel to us as its standard output; it has no other
/// descriptor of ours, and no secret among its arguments or in its environment.
package final class WorkerProcess {
    package let channel: MessageSocket
    private let child: Child

    /// Nil if it could not be started.
    package init?(_ operation: String, serving connection: borrowing FileDescriptor) {
        guard let (theirs, ours) = MessageSocket.pair() else { return nil }
        let number = connection.number
        // The program that runs, even where another version has been installed since.
        let child = ChildProcess.spawn(["/proc/self/exe", operation], isSessionLeader: true) { actions in
            posix_spawn_file_actions_adddup2(&actions, number, STDIN_FILENO)
            posix_spawn_file_actions_adddup2(&actions, theirs.number, STDOUT_FILENO)
            _ = gitspace_close_from(&actions, STDERR_FILENO + 1)
        }
        guard let child else { return nil }
        self.child = child
        channel = ours
    }

    deinit { child.stop() }

    /// The ends that it was given; nil for a process that was not started so.
    package static func handedOver() -> (connection: PatientStream, channel: MessageSocket)? {
        gitspace_end_with_parent(SIGKILL)
        guard let connection = FileDescriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
            let channel = FileDescriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)),
            // The check fails if the parent ended before the line above.
            PeerUser.peer(of: channel)?.process == getppid(),
            let stream = PatientStream(connection), let messages = MessageSocket(channel)
        else { return nil }
        // What a library prints goes nowhere.
        dup2(STDERR_FILENO, STDIN_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return (stream, messages)
    }
}
