import Staging
import StandIn

/// What git does, by way of the program.
extension Worker {
    /// Takes a step, or the next best where it makes no sense for the account.
    func take(_ step: Step, _ position: Int) async throws {
        let account = accounts[position]
        guard account.signsIn else { return try await takePlainly(step, position) }
        switch step {
        case .get: try await get(position)
        case .getNameless: try await getNameless(of: position)
        case .getAtAnotherTime: try await getAtAnotherTime(position)
        case .renew: try await get(position, isAged: true)
        case .renewInTrouble: try await renewInTrouble(position)
        case .strike: try await strike(position)
        case .praise: try await praise(position)
        case .reject: try await reject(position)
        case .rejectOld: try await rejectOld(position)
        case .hostileStore: try await storeGarbage(position)
        case .lsRemote: try await lsRemote(position)
        case .refresh: try await refresh(position)
        case .status: try await status(position)
        case .logout: try await logout(position)
        }
    }

    /// Asks for an account's password, and judges what comes.
    ///
    /// - Parameters:
    ///   - position: the account's.
    ///   - isNamed: whether git says whose it wants.
    ///   - isAged: whether its token looks as if it were about to end.
    ///   - jump: by how many seconds the program's clock is wrong.
    ///   - trouble: what the server does.
    /// - Throws: `NeverHappened` if the program does not end.
    func get(
        _ position: Int, isNamed: Bool = true, isAged: Bool = false, jump: Int = 0, trouble: Trouble? = nil
    ) async throws {
        if isAged { try await age(position) }
        let account = accounts[position]
        let isRefreshable = takesRefreshToken(of: account)
        let count = server.tokens.count
        if let trouble { server.answer(.refresh, with: trouble.answer(of: service), times: nil) }
        let begun = Self.now + jump
        let lines = isNamed ? request(account) : ["protocol=https", "host=\(account.host)"]
        let end = try await machine.start("get", lines, jump: jump).ended()
        if trouble != nil { server.answerGenuinely(.refresh) }
        let circumstances = Circumstances(
            span: begun...max(begun, Self.now + jump), jump: jump, trouble: trouble,
            takesRefreshToken: isRefreshable, issued: issued(to: account, since: count))
        let former = account.holding?.password
        if let trouble { accounts[position].note("\(trouble), issued \(circumstances.issued.count)") }
        let wasClear = account.isFresh(over: circumstances.span) != nil
        let complaint = accounts[position].judge(GivenAnswer(end.output), circumstances)
        if !wasClear, complaint == nil { try await lookForRefresh(position) }
        if accounts[position].holding?.password != former { formerPasswords[account.login] = former }
        if let complaint {
            let what = "get\(trouble.map { " in trouble (\($0))" } ?? ""), clock \(jump)\(isAged ? ", aged" : "")"
            complain(account, what, expected: complaint, end)
            try await reconcile(position)
        }
    }

    /// Makes an account's token look as if it were about to end, where it ends at all.
    func age(_ position: Int) async throws {
        guard accounts[position].signsIn, let holding = accounts[position].holding, !holding.password.isEmpty,
            let expiry = holding.expiry.map({ min($0, Self.now + 200) }),
            try await machine.age(accounts[position], until: expiry)
        else { return }
        accounts[position].holding?.expiry = expiry
        accounts[position].holding?.hidesLifetime = true
    }

    /// Asks without a name: the account that was signed in to first answers, if any can.
    private func getNameless(of position: Int) async throws {
        let now = Self.now
        let host = accounts[position].host
        let all = accounts.indices.filter { accounts[$0].host == host }
        let others = all.filter { accounts[$0].isGrant(over: now...now) }
        let ordered = others.sorted { accounts[$0].since ?? 0 < accounts[$1].since ?? 0 }
        let times = ordered.map { accounts[$0].since }
        // Where two were signed in to in the same moment, or nobody knows when, no answer is the only one.
        let isClear = zip(times, times.dropFirst()).allSatisfy { ($1 ?? 0) - ($0 ?? .max / 2) > 3 }
        // Nor while a token that cannot be refreshed is about to expire: a program that takes long may find it dead.
        let isSettled = all.allSatisfy {
            accounts[$0].holding?.refreshToken != nil || accounts[$0].isAlive(over: now...(now + 20)) != nil
        }
        guard let first = ordered.first, !times.contains(nil), isClear, isSettled else {
            return try await get(position)
        }
        try await get(first, isNamed: false)
    }

    /// Asks with a clock that has jumped, forward or back.
    private func getAtAnotherTime(_ position: Int) async throws {
        let jumps = [-36_000, -3_600, -600, 600, 3_600, 36_000, 100_000]
        count("clock jump")
        try await get(position, jump: jumps.randomElement(using: &random) ?? 600)
    }

    /// Asks while a token is about to end, and the server is in trouble; half the time, the token has ended.
    private func renewInTrouble(_ position: Int) async throws {
        let isSilent = Int.random(in: 0..<150, using: &random) == 0
        let trouble = isSilent ? .silent : Trouble.quick.randomElement(using: &random) ?? .internalError
        count("server: \(trouble.rawValue)")
        // Ten hours on, an access token has ended.
        let hasEnded = Bool.random(using: &random)
        try await get(position, isAged: true, jump: hasEnded ? 36_000 : 0, trouble: trouble)
    }

    /// Says that the token works, as git does after each success.
    private func praise(_ position: Int) async throws {
        let account = accounts[position]
        guard let password = account.holding?.password, !password.isEmpty, account.isGrant(over: Self.now...Self.now)
        else { return try await get(position) }
        let end = try await machine.start("store", request(account, "password=\(password)")).ended()
        if end.status != 0 || !end.output.isEmpty { complain(account, "store", expected: "silence", end) }
    }

    /// Has the server refuse a token, and says so, as a git does that brings back what we told it.
    private func reject(_ position: Int) async throws {
        let account = accounts[position]
        guard let password = account.holding?.password, !password.isEmpty,
            account.isFresh(over: Self.now...(Self.now + 10)) == true
        else { return try await get(position) }
        let answer = try await machine.start("get", request(account, "capability[]=state")).ended()
        guard GivenAnswer(answer.output).password == password,
            let mark = answer.output.split(separator: "\n").first(where: { $0.hasPrefix("state[]=gitspace:") })
        else { return complain(account, "get", expected: "the stored token with our mark", answer) }
        count("token refused")
        server.revoke(password)
        let lines = request(account, "password=\(password)", String(mark), "capability[]=state")
        let end = try await machine.start("erase", lines).ended()
        if end.status != 0 || !end.output.isEmpty { complain(account, "erase", expected: "silence", end) }
        formerPasswords[account.login] = password
        accounts[position].rejectedAt = Self.now
        // The refresh token may be good yet.
        accounts[position].holding?.password = ""
        accounts[position].holding?.expiry = nil
        if account.holding?.refreshToken == nil { accounts[position].holding = nil }
        // Of a token that is refused a minute after the last one, or soon after that, nothing is left: whoever goes on to
        // ask would have us refresh for ever. To the second, and with a clock that jumps, that is the program's to say.
        if let rejectedAt = account.rejectedAt, Self.now - rejectedAt < 75,
            try await machine.secret(of: account) == nil
        {
            accounts[position].holding = nil
        }
    }

    /// Says that a token from before does not work: that is no news about the one that is stored.
    private func rejectOld(_ position: Int) async throws {
        let account = accounts[position]
        guard let former = formerPasswords[account.login], former != account.holding?.password, !former.isEmpty else {
            return try await get(position)
        }
        let end = try await machine.start("erase", request(account, "password=\(former)")).ended()
        if end.status != 0 || !end.output.isEmpty { complain(account, "erase", expected: "silence", end) }
    }

    /// Stores what a repository has written into its address.
    private func storeGarbage(_ position: Int) async throws {
        let account = accounts[position]
        guard account.isGrant(over: Self.now...Self.now) else { return try await get(position) }
        count("hostile store")
        let end = try await machine.start("store", request(account, "password=garbage")).ended()
        if end.status != 0 || !end.output.isEmpty { complain(account, "store", expected: "silence", end) }
    }

    /// Has git itself ask, with a token that the server takes.
    private func lsRemote(_ position: Int) async throws {
        let account = accounts[position]
        guard let password = account.holding?.password, server.isLive(password),
            account.isFresh(over: Self.now...(Self.now + 60)) == true
        else { return try await get(position) }
        let address = "https://\(account.login)@\(account.host)/acme/private"
        let end = try await machine.session.run(["git", "ls-remote", address])
        guard end.status != 0 || !end.output.contains("refs/heads/main") else { return }
        complain(account, "git ls-remote", expected: "main", end)
        try await reconcile(position)
    }

    /// The same steps on a host where nobody signs in: git stores, gets and erases.
    private func takePlainly(_ step: Step, _ position: Int) async throws {
        let account = accounts[position]
        switch step {
        case .hostileStore, .praise, .renew:
            let password = "password-\(UInt64.random(in: 0 ... .max, using: &random))"
            let end = try await machine.start("store", request(account, "password=\(password)")).ended()
            if end.status != 0 || !end.output.isEmpty { complain(account, "store", expected: "silence", end) }
            formerPasswords[account.login] = account.holding?.password
            accounts[position].holding = Account.Holding(password: password)
        case .logout, .reject:
            let password = account.holding.map { ["password=\($0.password)"] } ?? []
            let end = try await machine.start("erase", request(account) + password).ended()
            if end.status != 0 || !end.output.isEmpty { complain(account, "erase", expected: "silence", end) }
            formerPasswords[account.login] = account.holding?.password
            accounts[position].holding = nil
        case .rejectOld:
            try await rejectOld(position)
        default:
            try await get(position)
        }
    }
}
