internal import Glibc

/// `simulate [COUNT [SEED]]` runs COUNT schedules, with the seeds from SEED on; `simulate 1 SEED` prints each step.
@main
enum Simulate {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        let count = numbers.first ?? 100_000
        let first = numbers.dropFirst().first ?? 1
        var (steps, failures) = (0, 0)
        for seed in first..<(first + count) {
            let simulation = Simulation(seed: seed, isTraced: count == 1)
            let violation = simulation.run()
            steps += simulation.steps
            guard let violation else { continue }
            failures += 1
            print("simulate: after \(seed - first + 1) schedules: \(violation)\nsimulate: seed \(seed)")
            if failures == 5 { break }
        }
        print("simulate: \(count) schedules from \(first) on, \(steps) steps, \(failures) failed")
        exit(failures == 0 ? 0 : 1)
    }
}
