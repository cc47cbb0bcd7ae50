import Staging

/// Compresses more than a day's use: `soak OPERATIONS SEED [REPORT]`.
///
/// Many accounts on many hosts are used in any order, with faults of the server, the clock, the keyring's daemon and
/// the program in between. An oracle knows each account's right answers. Between rounds everything stops: the whole
/// keyring is compared, some runs are timed, and files, processes and memory are counted.
///
/// Exit: 0 nothing was wrong and nothing grew; 1 otherwise; 64 wrong usage.
@main
struct Soak {
    /// How many workers run at the same time.
    static let workers = 8
    static let accounts = 200

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let operations = arguments.first.flatMap({ Int($0) }), operations >= 100,
            let seed = arguments.dropFirst().first.flatMap({ UInt64($0) }), arguments.count <= 3
        else {
            FileHandle.standardError.write(Data("usage: soak OPERATIONS SEED [REPORT]   (100 or more)\n".utf8))
            exit(64)
        }
        exit(try await soak(operations, seed, report: arguments.dropFirst(2).first) ? 0 : 1)
    }

    /// Performs the run and prints its report; returns whether it succeeded.
    ///
    /// Separate from `main`, which Swift 6.0 binds to the main actor.
    private static func soak(_ operations: Int, _ seed: UInt64, report file: String?) async throws -> Bool {
        let run = try await SoakRun(operations: operations, seed: seed)
        try await run.work()
        let report = await run.report()
        print(report.text)
        if report.failures.isEmpty, let file { try report.text.write(toFile: file, atomically: true, encoding: .utf8) }
        for failure in report.failures { print("soak: FAILED: \(failure)") }
        await run.end()
        return report.failures.isEmpty
    }
}
