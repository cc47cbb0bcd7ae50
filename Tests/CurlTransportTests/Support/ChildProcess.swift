import Glibc

/// A child process, whose input and output are the two directions of one socket.
///
/// Not Foundation's `Process`: its pipes leak into children that are started at the same time, so that with parallel
/// tests an end of file may never come. A socket, unlike a pipe, can be closed to children from its first moment.
final class ChildProcess {
    /// The child could not be started, or ended with another status than 0.
    struct Failure: Error {
        var command: [String]
    }

    private let command: [String]
    private let pid: pid_t
    private let socket: Int32
    private var isRunning: Bool

    /// Starts `command`, which is looked up in PATH.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments.
    ///   - isMuted: whether nobody wants to see its standard error.
    /// - Throws: `Failure`.
    init(_ command: [String], isMuted: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(command: command)
        }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        if isMuted { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var pid: pid_t = 0
        isRunning = posix_spawnp(&pid, command[0], &actions, nil, &arguments, environ) == 0
        self.command = command
        self.pid = pid
        socket = ends[0]
        if !isRunning { throw Failure(command: command) }
    }

    deinit {
        close(socket)
        if isRunning {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
    }

    /// The next line of its output, without the line end.
    func readLine() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(socket, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Ends its input, reads what it still says, and waits until it ends.
    ///
    /// - Returns: the rest of its output.
    /// - Throws: `Failure` if the status is not 0.
    @discardableResult
    func finish() throws -> String {
        shutdown(socket, Int32(SHUT_WR))
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(socket, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        isRunning = false
        guard status == 0 else { throw Failure(command: command) }
        return String(decoding: text, as: UTF8.self)
    }
}
