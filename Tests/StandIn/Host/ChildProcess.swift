import FoundationEssentials
package import Glibc

/// Runs programs to their end, with input and output in unnamed files.
///
/// With files instead of pipes, neither side can block on the other, and a grandchild that keeps the output open cannot
/// delay the result.
package enum ChildProcess {
    package struct Result: Sendable {
        /// The exit status, or 128 + signal number, as a shell reports it.
        package let status: Int32
        package let output: [UInt8]
        package let errors: [UInt8]
        package var outputText: String { String(decoding: output, as: UTF8.self) }
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    /// Runs `arguments[0]`, found on `PATH`, and waits for its end.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = []
    ) throws(StandInError) -> Result {
        let standardInput = try UnnamedFile(contents: input)
        let standardOutput = try UnnamedFile()
        let standardError = try UnnamedFile()
        let process = try spawn(
            arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: standardInput.descriptor, output: standardOutput.descriptor, errors: standardError.descriptor)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 {
            guard errno == EINTR else { throw StandInError("could not wait for \(arguments[0])", code: errno) }
        }
        return Result(status: exitStatus(status), output: standardOutput.contents(), errors: standardError.contents())
    }

    /// Starts `arguments[0]`, found on `PATH`, with default signal handling, as a shell does.
    ///
    /// The environment is all that it gets. Without `errors`, standard error is the terminal, whose path is given. A
    /// session leader has its own session (setsid(2)), which has no terminal unless one is given. The caller must wait
    /// for the process.
    package static func spawn(
        _ arguments: [String], environment: [String: String], input: Int32, output: Int32, errors: Int32?,
        terminal: String? = nil, isSessionLeader: Bool = false
    ) throws(StandInError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        // The first terminal that a session leader opens becomes its controlling terminal.
        if let terminal { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, terminal, O_RDWR, 0) }
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes, isSessionLeader)

        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process = pid_t()
        let failure = posix_spawnp(&process, arguments.first ?? "", &actions, &attributes, &argv, &envp)
        guard failure == 0 else { throw StandInError("could not start \(arguments.first ?? "nothing")", code: failure) }
        return process
    }

    /// Converts a status of wait(2) as a shell does: the exit status, or 128 + signal number.
    package static func exitStatus(_ status: Int32) -> Int32 {
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    /// Restores default signal handling in the child: the test runner may block or ignore signals.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t, _ isSessionLeader: Bool) {
        var reset = sigset_t()
        sigemptyset(&reset)
        posix_spawnattr_setsigmask(&attributes, &reset)
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT] { sigaddset(&reset, signal) }
        posix_spawnattr_setsigdefault(&attributes, &reset)
        // POSIX_SPAWN_SETSID of <spawn.h>, which glibc declares only for _GNU_SOURCE.
        let newSession: Int32 = isSessionLeader ? 0x80 : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | newSession))
    }
}
