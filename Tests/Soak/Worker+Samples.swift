import Glibc
import Staging
import StandIn

/// How long the program took, one run after the other, with nobody else at work.
struct Sample: Sendable {
    /// From the start to the end, as git waits for it.
    var durations: [Duration] = []
    /// Seconds of all cores for all of them, which other programs on the machine disturb less.
    var processorTime = 0.0
}

/// Runs that are timed.
extension Worker {
    /// Asks so often for tokens that are good.
    func sampleHits(_ count: Int) async throws -> Sample {
        try await sample(count) { account in
            account.signsIn && account.isFresh(over: Self.now...(Self.now + 20)) == true
        }
    }

    /// Asks so often for tokens that are about to end.
    func sampleRenewals(_ count: Int) async throws -> Sample {
        try await sample(count, isAged: true) { self.takesRefreshToken(of: $0) }
    }

    /// Times so many runs for accounts that are suitable, and judges each answer as any other.
    private func sample(_ count: Int, isAged: Bool = false, _ isSuitable: (Account) -> Bool) async throws -> Sample {
        var sample = Sample()
        for _ in 0..<count {
            var suitable: [Int] = []
            for position in accounts.indices where isSuitable(accounts[position]) { suitable.append(position) }
            guard let position = suitable.randomElement(using: &random) else { break }
            if isAged { try await age(position) }
            let account = accounts[position]
            let before = server.tokens.count
            let isRefreshable = takesRefreshToken(of: account)
            let begun = Self.now
            let processorTime = Self.processorTime
            let end = try RunningProgram.run(
                [BuiltFiles.helper, "get"], environment: machine.session.environment, in: machine.session.home,
                input: request(account).map { $0 + "\n" }.joined())
            sample.processorTime += Self.processorTime - processorTime
            sample.durations.append(end.duration)
            let circumstances = Circumstances(
                span: begun...Self.now, takesRefreshToken: isRefreshable,
                issued: issued(to: account, since: before))
            if let complaint = accounts[position].judge(GivenAnswer(end.output), circumstances) {
                complain(account, "timed get", expected: complaint, end)
                try await reconcile(position)
            }
            tally.operations += 1
        }
        return sample
    }

    /// What all children that have ended took (getrusage(2)).
    private static var processorTime: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
