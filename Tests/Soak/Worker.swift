import Staging

/// Uses its own accounts one after the other, while other workers use theirs.
///
/// Each worker has its own server, so that a fault affects only one. The choices follow from the seed. Time does not:
/// the machine's speed decides when a token gets old, and how far a killed program had come.
actor Worker {
    /// Counts and errors so far.
    struct Tally {
        var operations = 0
        var faults: [String: Int] = [:]
        var wrong: [String] = []
    }

    let machine: Machine
    let server: StandIn
    let service: Service
    var accounts: [Account]
    var random: SeededGenerator
    var tally = Tally()
    private let name: String

    /// Makes a server with this many accounts, two on each host, and puts their items into the keyring.
    init(_ number: Int, accounts count: Int, seed: UInt64, on machine: Machine) async throws {
        name = "worker \(number)"
        service = number.isMultiple(of: 2) ? .gitHub : .gitLab
        random = SeededGenerator(seed: seed &+ UInt64(number))
        server = try StandIn(service)
        self.machine = machine
        var made: [Account] = []
        for position in 0..<(count + 1) / 2 {
            let host = "host-\(number)-\(position).soak.test"
            let app = Self.app(position, at: service)
            if let app { server.register(app) }
            for login in ["ann", "bob"].prefix(count - made.count) {
                made.append(Account(host: host, login: "\(login)-\(number)-\(position)", app: app))
            }
        }
        accounts = made
        try server.createRepository("acme/private", readers: Set(made.map(\.login)))
        let hosts = Set(made.map(\.host)).sorted()
        try machine.configure(
            hosts.map { host in (host, made.first { $0.host == host }?.app ?? nil) }, at: server, service)
        for position in accounts.indices { try await begin(position) }
    }

    /// The app of a host: of five hosts, three have expiring tokens, one has tokens that never expire, and
    /// one has no sign-in.
    private static func app(_ position: Int, at service: Service) -> App? {
        if position % 5 == 4 { return nil }
        var app = service.refreshingApp(interval: 1, lifetime: position % 5 == 1 ? 40 : nil)
        if position % 5 == 0, service == .gitHub { app = .oauthApp(interval: 1) }
        app.clientID += "-\(position)"
        return app
    }

    /// Gives an account the item of an earlier sign-in.
    private func begin(_ position: Int) async throws {
        if let app = accounts[position].app {
            let token = server.issueToken(for: accounts[position].login, app: app)
            accounts[position].holding = Account.Holding(token)
            accounts[position].since = 1_000_000_000 + position
        } else {
            accounts[position].holding = Account.Holding(password: "first-\(position)")
        }
        try await machine.put(accounts[position])
    }

    func work(_ count: Int) async throws {
        for _ in 0..<count {
            let position = Int.random(in: accounts.indices, using: &random)
            let step = Step.weighted.randomElement(using: &random) ?? .get
            // An account that is signed out gets a request without a token half the time, then a sign-in.
            if isSignedOut(accounts[position]), Bool.random(using: &random) {
                try await signIn(position)
            } else {
                accounts[position].note(step.rawValue)
                try await take(step, position)
            }
            tally.operations += 1
        }
    }

    /// Whether there is neither a valid token nor one to renew it with.
    private func isSignedOut(_ account: Account) -> Bool {
        account.holding?.refreshToken == nil && account.isAlive(over: Self.now...Self.now) == false
    }

    func complain(_ account: Account, _ what: String, expected: String, _ end: RunningProgram.End?) {
        let said = end.map { "\($0.status): \($0.output)\($0.errors)" } ?? ""
        let before = accounts.first { $0.login == account.login }?.history.joined(separator: ", ") ?? ""
        complain(
            "\(name), operation \(tally.operations): \(what) for \(account.name): expected \(expected)"
                + "\n  after \(before)\n\(said)")
    }

    func complain(_ what: String) {
        tally.wrong.append(what)
        FileHandle.standardError.write(Data("soak: WRONG: \(what)\n".utf8))
    }

    func count(_ fault: String) { tally.faults[fault, default: 0] += 1 }

    /// The tokens that the server has issued to an account after the first `count` ones.
    func issued(to account: Account, since count: Int) -> [IssuedToken] {
        server.tokens.dropFirst(count).filter { $0.login == account.login }
    }

    /// Whether the server accepts an account's refresh token.
    func takesRefreshToken(of account: Account) -> Bool {
        guard let refreshToken = account.holding?.refreshToken,
            let token = server.tokens.last(where: { $0.refreshToken == refreshToken })
        else { return false }
        return !token.isRefreshSpent && !token.isRefreshRevoked
    }

    func request(_ account: Account, _ more: String...) -> [String] {
        ["protocol=https", "host=\(account.host)", "username=\(account.login)"] + more
    }

    static var now: Int { Int(StandIn.systemClock()) }

    /// Compares the keyring with the expected items of this worker's accounts.
    func compare(with items: [KeyringItem]) async throws -> Int {
        for (position, account) in accounts.enumerated() {
            let found = items.filter {
                $0.attributes["server"] == account.host && $0.attributes["user"] == account.login
            }
            let holdings = found.map { Account.Holding(secret: $0.secret ?? "") }
            let isRight = account.holding.map { holdings.count == 1 && holdings[0].matches($0) } ?? holdings.isEmpty
            if !isRight {
                let expected = account.holding.map { "one item: \($0.outline)" } ?? "no item"
                let there = holdings.map(\.outline).joined(separator: "; ")
                complain(account, "the keyring, with \(found.count) items (\(there))", expected: expected, nil)
                try await reconcile(position)
            }
        }
        return accounts.count { $0.holding != nil }
    }

    /// Times this many runs with a fresh token, or with one about to expire, and judges each answer.
    func sample(_ count: Int, isAged: Bool) async throws -> Sample {
        var sample = Sample()
        for _ in 0..<count {
            let suitable = accounts.indices.filter { position in
                let account = accounts[position]
                return isAged
                    ? takesRefreshToken(of: account)
                    : account.signsIn && account.isFresh(over: Self.now...(Self.now + 20)) == true
            }
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

/// Durations of consecutive runs while nothing else is at work.
struct Sample: Sendable {
    /// The time from start to end, as git waits for it.
    var durations: [Duration] = []
    /// The processor time of all runs in seconds, which other programs disturb less.
    var processorTime = 0.0
}
