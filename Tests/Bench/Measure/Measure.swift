internal import Glibc

/// Compares programs by running them in turns: A, B, A, B, and so on.
///
/// One series after the other would be wrong: between them, a machine's speed drifts by a tenth.
///
/// ```sh
/// measure ROUNDS WARMUP <plan
/// ```
/// The plan is read from standard input (`Plan`). For each contender, one line of tab-separated fields is printed: its
/// name, the median of its wall time in milliseconds, the median over the rounds of its time divided by that of the
/// last contender in the same round, the median of its CPU time in milliseconds, and its peak memory in KiB. A run that
/// does not end as planned ends the measurement with status 1, since a fast failure would look like a fast success.
///
/// The program is small and linked statically, since the kernel counts its memory as part of the child's peak.
@main
enum Measure {
    static func main() {
        guard CommandLine.argc == 3, let rounds = Int(CommandLine.arguments[1]), rounds > 0,
            let warmUp = Int(CommandLine.arguments[2]), warmUp >= 0
        else { fail("usage: measure ROUNDS WARMUP <plan", status: 64) }
        do {
            let contenders = try Plan.read()
            guard !contenders.isEmpty else { throw Failure("an empty plan") }
            var results = contenders.map { Result(name: $0.name) }
            for round in 0..<warmUp + rounds {
                for (index, contender) in contenders.enumerated() {
                    let usage = try contender.run()
                    if round >= warmUp { results[index].rounds.append(usage) }
                }
            }
            let reference = results[results.count - 1]
            for result in results { print(result.line(comparedWith: reference)) }
        } catch { fail("\(error)", status: 1) }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        let line = Array("measure: \(message)\n".utf8)
        write(STDERR_FILENO, line, line.count)
        exit(status)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
