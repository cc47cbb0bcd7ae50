import Staging

/// Durations of consecutive runs while nothing else is at work.
struct Sample: Sendable {
    /// The time from start to end, as git waits for it.
    var durations: [Duration] = []
    /// The processor time of all runs in seconds, which other programs disturb less.
    var processorTime = 0.0
}

/// Runs that are timed.
extension Worker {
    /// Times this many runs with a fresh token.
    func sampleHits(_ count: Int) async throws -> Sample {
        try await sample(count) { account in
            account.signsIn && account.isFresh(over: Self.now...(Self.now + 20)) == true
        }
    }

    /// Times this many runs with a token about to expire.
    func sampleRenewals(_ count: Int) async throws -> Sample {
        try await sample(count, isAged: true) { self.takesRefreshToken(of: $0) }
    }

    /// Times this many runs for suitable accounts, and judges each answer.
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
                span: begun...Self.now, takesRefreshToken: isRefreshable, issued: issued(to: account, since: before))
            if let complaint = accounts[position].judge(GivenAnswer(end.output), circumstances) {
                complain(account, "timed get", expected: complaint, end)
                try await reconcile(position)
            }
            tally.operations += 1
        }
        return sample
    }

    /// The processor time of all ended children in seconds (getrusage(2)).
    private static var processorTime: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
