internal import Glibc

/// The comparison to make, one line for each step.
///
/// ```
/// contender NAME
/// prepare STATUS INPUT EXPECTED PROGRAM ARGUMENT…
/// run STATUS INPUT EXPECTED PROGRAM ARGUMENT…
/// ```
/// The steps up to the next contender belong to this one. `prepare` is not measured; several `run` steps are measured
/// as one. INPUT is a file. EXPECTED is a text that the output must contain; with `-`, the output must be empty. Words
/// are separated by spaces. A line with another first word is an error.
enum Plan {
    /// Reads a plan from standard input.
    static func read() throws(Failure) -> [Contender] {
        var contenders: [Contender] = []
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "contender" where words.count == 2: contenders.append(Contender(name: words[1]))
            case "prepare" where words.count > 4, "run" where words.count > 4:
                guard let status = Int32(words[1]), !contenders.isEmpty else { throw Failure("bad step: \(line)") }
                contenders[contenders.count - 1].steps.append(
                    Step(
                        isMeasured: words[0] == "run", status: status, input: words[2],
                        expected: words[3] == "-" ? nil : words[3], command: Array(words[4...])))
            default: throw Failure("bad line: \(line)")
            }
        }
        return contenders
    }
}

/// One of the compared programs, with its steps.
struct Contender {
    let name: String
    var steps: [Step] = []

    /// - Returns: The total of the measured steps, and the highest of their memory peaks.
    func run() throws(Failure) -> Usage {
        var sum = Usage()
        for step in steps {
            let usage = try step.run()
            if step.isMeasured { sum.add(usage) }
        }
        return sum
    }
}

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

/// The time and memory of one run.
struct Usage {
    var wallNanoseconds: Int64 = 0
    var cpuNanoseconds: Int64 = 0
    /// The peak of resident memory, in KiB.
    var peakKiB = 0

    /// Adds a later run of the same round.
    mutating func add(_ next: Usage) {
        wallNanoseconds += next.wallNanoseconds
        cpuNanoseconds += next.cpuNanoseconds
        peakKiB = max(peakKiB, next.peakKiB)
    }
}

/// All measurements of one contender.
struct Result {
    let name: String
    var rounds: [Usage] = []

    /// The result as a line of tab-separated fields.
    func line(comparedWith reference: Result) -> String {
        let ratios = rounds.indices.map {
            Double(rounds[$0].wallNanoseconds) / Double(reference.rounds[$0].wallNanoseconds)
        }
        let wall = Self.median(rounds.map { Double($0.wallNanoseconds) / 1e6 })
        let cpu = Self.median(rounds.map { Double($0.cpuNanoseconds) / 1e6 })
        let peak = rounds.reduce(0) { max($0, $1.peakKiB) }
        return [name, Self.text(wall), Self.text(Self.median(ratios)), Self.text(cpu), String(peak)]
            .joined(separator: "\t")
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Three decimals, without Foundation and independent of the locale.
    private static func text(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        let fraction = String(thousandths % 1_000)
        return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
