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

/// Replaces the memory calls for secrets, four system calls each, by a free list: simulated secrets are not secret.
///
/// The caller wipes a page before it returns it.
private enum SecretPages { nonisolated(unsafe) static var free: [UnsafeMutableRawPointer] = [] }

@_cdecl("mmap")
func withoutMapping(
    _: UnsafeMutableRawPointer?, _ byteCount: Int, _: Int32, _: Int32, _ file: Int32, _: Int
) -> UnsafeMutableRawPointer? {
    precondition(file == -1, "only secrets are mapped here")
    guard byteCount == 4_096, let page = SecretPages.free.popLast() else {
        return .allocate(byteCount: byteCount, alignment: 4_096)
    }
    return page
}

@_cdecl("munmap")
func withoutUnmapping(_ pages: UnsafeMutableRawPointer, _ byteCount: Int) -> Int32 {
    if byteCount == 4_096 { SecretPages.free.append(pages) } else { pages.deallocate() }
    return 0
}

@_cdecl("madvise")
func withoutAdvising(_: UnsafeMutableRawPointer?, _: Int, _: Int32) -> Int32 { 0 }

@_cdecl("mlock")
func withoutLocking(_: UnsafeRawPointer?, _: Int) -> Int32 { 0 }

/// The faults of one schedule: only a few in each, since some faults hide others.
struct Plan {
    /// Whether each run has its own lock folder, and all of them refresh.
    var isApart = false
    /// Whether git's servers reject every token, and Git LFS asks again.
    var rejects = false
    var hasLockDirectory = true
    /// Whether log-outs replace kills: they end the holders of locks, and remove the lock files.
    var logsOut = false
    var kills = 0
    var signals = 0
    var outages = 0
    /// How often time jumps, by a minute or until all tokens have expired.
    var jumps = 0
    var revocations = 0
    /// How often a run is stopped for an hour (Ctrl-Z).
    var stops = 0
    /// Faults in a thousand requests.
    var networkFaults = 0
    var keyringFaults = 0
    /// One step in this many is disturbed.
    var disturbance = 100
    /// The probability that the same run continues, in percent.
    var stickiness = 0
    /// Whether the person always approves; otherwise one in ten does not.
    var isPersonPatient = false

    init(_ random: inout SeededGenerator) {
        func oneIn(_ number: Int, _ random: inout SeededGenerator) -> Bool { random.next(below: number) == 0 }
        switch random.next(below: 10) {
        case 0: isApart = true
        case 1: rejects = true
        default: break
        }
        hasLockDirectory = !oneIn(12, &random)
        kills = oneIn(2, &random) ? random.next(below: 4) : 0
        signals = oneIn(3, &random) ? random.next(below: 3) : 0
        outages = oneIn(3, &random) ? random.next(below: 3) : 0
        jumps = oneIn(3, &random) ? random.next(below: 3) : 0
        revocations = oneIn(6, &random) ? 1 : 0
        stops = oneIn(5, &random) ? 1 : 0
        networkFaults = oneIn(2, &random) ? 150 : 0
        keyringFaults = oneIn(4, &random) ? 40 : 0
        disturbance = [15, 60, 200][random.next(below: 3)]
        stickiness = [0, 50, 90][random.next(below: 3)]
    }

    /// Ends all faults, and makes the person approve.
    mutating func calmDown() {
        (kills, signals, outages, jumps, revocations, stops) = (0, 0, 0, 0, 0, 0)
        (networkFaults, keyringFaults) = (0, 0)
        (hasLockDirectory, logsOut, rejects, isPersonPatient) = (true, false, false, true)
    }
}
