internal import Glibc

/// One run of a program, with its expected result.
struct Step {
    let isMeasured: Bool
    /// The expected exit status.
    let status: Int32
    /// The file for standard input.
    let input: String
    /// The text that the output must contain; `nil` if the output must be empty.
    let expected: String?
    /// The program, found on `PATH` if it has no slash, and its arguments.
    let command: [String]

    /// Runs the program to its end, and checks the result.
    func run() throws(Failure) -> Usage {
        // The output goes to a pipe, as with git and its helpers; all outputs here fit into its buffer.
        var pipeEnds: [Int32] = [-1, -1]
        guard pipe(&pipeEnds) == 0 else { throw Failure("no pipe: \(errno)") }
        defer { close(pipeEnds[0]) }
        var usage = Usage()
        let begin = Self.nanoseconds
        let process = try spawn(output: pipeEnds[1], unused: pipeEnds[0])
        close(pipeEnds[1])
        var ending: Int32 = 0
        var resources = rusage()
        while wait4(process, &ending, 0, &resources) < 0 {
            guard errno == EINTR else { throw Failure("wait4: \(errno)") }
        }
        usage.wallNanoseconds = Self.nanoseconds - begin
        usage.cpuNanoseconds = Self.nanoseconds(resources.ru_utime) + Self.nanoseconds(resources.ru_stime)
        usage.peakKiB = Int(resources.ru_maxrss)
        try check(ending, output: pipeEnds[0])
        return usage
    }

    private func spawn(output: Int32, unused: Int32) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclose(&actions, output)
        posix_spawn_file_actions_addclose(&actions, unused)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        let error = posix_spawnp(&process, command[0], &actions, nil, &arguments, environ)
        guard error == 0 else { throw Failure("cannot start \(command[0]): \(error)") }
        return process
    }

    private func check(_ ending: Int32, output: Int32) throws(Failure) {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(output, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        // Macros of wait(2): the low seven bits are the signal, the next byte is the exit status.
        let hasExited = ending & 0x7f == 0
        let answer = String(decoding: text, as: UTF8.self)
        let isExpected = expected.map { answer.contains($0) } ?? answer.isEmpty
        guard hasExited, ending >> 8 & 0xff == status, isExpected else {
            throw Failure("\(command.joined(separator: " ")): ended with \(ending) and said: \(answer)")
        }
    }

    private static var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    private static func nanoseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1_000
    }
}
