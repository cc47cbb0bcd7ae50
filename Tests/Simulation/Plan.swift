/// What can go wrong in a schedule: few things in each, so that what they hide from one another is seen as well.
struct Plan {
    /// Each run has a place for locks of its own, and all of them refresh.
    var isApart = false
    /// git's servers reject every token, and Git LFS asks again.
    var rejects = false
    var hasLockDirectory = true
    /// In place of kills: who holds a lock is ended, and its file removed.
    var logsOut = false
    var kills = 0
    var signals = 0
    var outages = 0
    /// Of time: a minute, or until all tokens have expired.
    var jumps = 0
    var revocations = 0
    /// Ctrl-Z, for an hour.
    var stops = 0
    /// In a thousand.
    var networkFaults = 0
    var keyringFaults = 0
    /// One in so many steps is disturbed.
    var disturbance = 100
    /// In a hundred: how often whoever runs goes on running.
    var stickiness = 0
    /// Most people approve; one in ten does not.
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

    /// Afterwards everything works, and a person is there.
    mutating func calmDown() {
        (kills, signals, outages, jumps, revocations, stops) = (0, 0, 0, 0, 0, 0)
        (networkFaults, keyringFaults) = (0, 0)
        (hasLockDirectory, logsOut, rejects, isPersonPatient) = (true, false, false, true)
    }
}
