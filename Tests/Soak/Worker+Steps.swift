import Staging

/// The operations that git runs.
extension Worker {
    /// Takes a step, or a similar one if it is impossible for the account.
    func take(_ step: Step, _ position: Int) async throws {
        guard accounts[position].signsIn else { return try await takePlainly(step, position) }
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

    /// Runs a `get` for an account, and judges the answer.
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
        if let trouble { accounts[position].note("\(trouble), issued \(circumstances.issued.count)") }
        let wasClear = account.isFresh(over: circumstances.span) != nil
        let complaint = accounts[position].judge(GivenAnswer(end.output), circumstances)
        if !wasClear, complaint == nil { try await lookForRefresh(position) }
        if let complaint {
            let what = "get\(trouble.map { " in trouble (\($0))" } ?? ""), clock \(jump)\(isAged ? ", aged" : "")"
            complain(account, what, expected: complaint, end)
            try await reconcile(position)
        }
    }

    /// Sets an account's token to expire soon, if it expires at all.
    func age(_ position: Int) async throws {
        guard accounts[position].signsIn, let holding = accounts[position].holding, !holding.password.isEmpty,
            let expiry = holding.expiry.map({ min($0, Self.now + 200) }),
            try await machine.age(accounts[position], until: expiry)
        else { return }
        accounts[position].holding?.expiry = expiry
        accounts[position].holding?.hidesLifetime = true
    }

    /// Runs a `get` without a name: the account that signed in first is the answer.
    private func getNameless(of position: Int) async throws {
        let now = Self.now
        let all = accounts.indices.filter { accounts[$0].host == accounts[position].host }
        let others = all.filter { accounts[$0].isGrant(over: now...now) }
        let ordered = others.sorted { accounts[$0].since ?? 0 < accounts[$1].since ?? 0 }
        let times = ordered.map { accounts[$0].since }
        // If two signed in at the same moment, or the time is unknown, several answers are right.
        let isClear = zip(times, times.dropFirst()).allSatisfy { ($1 ?? 0) - ($0 ?? .max / 2) > 3 }
        // Several answers are right too if a token that cannot be refreshed is about to expire: a slow program may find
        // it expired.
        let isSettled = all.allSatisfy {
            accounts[$0].holding?.refreshToken != nil || accounts[$0].isAlive(over: now...(now + 20)) != nil
        }
        guard let first = ordered.first, !times.contains(nil), isClear, isSettled else {
            return try await get(position)
        }
        try await get(first, isNamed: false)
    }

    private func getAtAnotherTime(_ position: Int) async throws {
        let jumps = [-36_000, -3_600, -600, 600, 3_600, 36_000, 100_000]
        count("clock jump")
        try await get(position, jump: jumps.randomElement(using: &random) ?? 600)
    }

    /// Runs a `get` with a token about to expire, or already expired, at a faulty server.
    private func renewInTrouble(_ position: Int) async throws {
        let isSilent = Int.random(in: 0..<150, using: &random) == 0
        let trouble = isSilent ? .silent : Trouble.quick.randomElement(using: &random) ?? .internalError
        count("server: \(trouble.rawValue)")
        // Ten hours ahead, every access token has expired.
        let hasEnded = Bool.random(using: &random)
        try await get(position, isAged: true, jump: hasEnded ? 36_000 : 0, trouble: trouble)
    }

    /// Runs git's `store` or `erase`, which must be silent.
    private func tell(_ verb: String, _ account: Account, _ lines: [String]) async throws {
        let end = try await machine.start(verb, request(account) + lines).ended()
        if end.status != 0 || !end.output.isEmpty { complain(account, verb, expected: "silence", end) }
    }

    private func praise(_ position: Int) async throws {
        let account = accounts[position]
        guard let password = account.holding?.password, !password.isEmpty, account.isGrant(over: Self.now...Self.now)
        else { return try await get(position) }
        try await tell("store", account, ["password=\(password)"])
    }

    /// Revokes the access token, and runs git's `erase` with the state that we gave to git.
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
        try await tell("erase", account, ["password=\(password)", String(mark), "capability[]=state"])
        accounts[position].rejectedAt = Self.now
        // The refresh token may still be valid.
        accounts[position].holding?.password = ""
        accounts[position].holding?.expiry = nil
        if account.holding?.refreshToken == nil { accounts[position].holding = nil }
        // If a token is refused within a minute or so of the last refusal, the whole grant is removed: otherwise a
        // client that keeps asking would cause endless refreshes. With rounding and wrong clocks, both results are
        // right near the limit.
        if let rejectedAt = account.rejectedAt, Self.now - rejectedAt < 75,
            try await machine.holding(of: account) == nil
        {
            accounts[position].holding = nil
        }
    }

    /// Runs `erase` with an earlier token: the stored one must stay.
    private func rejectOld(_ position: Int) async throws {
        let account = accounts[position]
        guard let former = account.formerPassword, former != account.holding?.password else {
            return try await get(position)
        }
        try await tell("erase", account, ["password=\(former)"])
    }

    private func storeGarbage(_ position: Int) async throws {
        let account = accounts[position]
        guard account.isGrant(over: Self.now...Self.now) else { return try await get(position) }
        count("hostile store")
        try await tell("store", account, ["password=garbage"])
    }

    /// Runs `git ls-remote` with a token that the server accepts.
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

    /// Takes a step on a host without sign-in, where git only stores, gets and erases.
    private func takePlainly(_ step: Step, _ position: Int) async throws {
        let account = accounts[position]
        switch step {
        case .hostileStore, .praise, .renew: try await storePassword(position)
        case .logout, .reject:
            try await tell("erase", account, account.holding.map { ["password=\($0.password)"] } ?? [])
            accounts[position].holding = nil
        case .rejectOld: try await rejectOld(position)
        default: try await get(position)
        }
    }

    /// Signs in on a terminal; one sign-in in eight is declined.
    func signIn(_ position: Int) async throws {
        let account = accounts[position]
        guard account.signsIn else { return try await storePassword(position) }
        accounts[position].note("login")
        let isDenied = Int.random(in: 0..<8, using: &random) == 0
        if isDenied { count("sign-in denied") }
        server.nextSignIn(isDenied ? .deny : .approve(as: account.login))
        let count = server.tokens.count
        let terminal = try PseudoTerminal()
        let begun = Self.now
        let end = try await machine.session.start(
            [BuiltFiles.helper, "login", account.host, "--username", account.login], on: terminal
        ).ended()
        let issued = issued(to: account, since: count)
        if isDenied {
            if end.status == 0 || !issued.isEmpty { complain(account, "login", expected: "a refusal", end) }
        } else if let token = issued.first, issued.count == 1, end.status == 0 {
            try await adopt(token, position, since: begun)
            // The item may keep the time of an earlier sign-in.
            accounts[position].since = account.holding == nil ? Self.now : nil
        } else {
            complain(account, "login", expected: "one new token\n\(terminal.text)", end)
            try await reconcile(position)
        }
    }

    private func storePassword(_ position: Int) async throws {
        let password = "password-\(UInt64.random(in: 0 ... .max, using: &random))"
        try await tell("store", accounts[position], ["password=\(password)"])
        accounts[position].holding = Account.Holding(password: password)
    }

    func refresh(_ position: Int) async throws {
        let account = accounts[position]
        let isRefreshable = takesRefreshToken(of: account)
        let count = server.tokens.count
        let begun = Self.now
        let end = try await run("refresh", account)
        let issued = issued(to: account, since: count)
        if isRefreshable, end.status == 0, issued.count == 1, let token = issued.first {
            try await adopt(token, position, since: begun)
        } else if !isRefreshable, end.status == 1, issued.isEmpty {
            accounts[position].holding?.refreshToken = nil
        } else {
            complain(account, "refresh", expected: isRefreshable ? "a new token" : "an error", end)
            try await reconcile(position)
        }
    }

    /// Updates the account after a sign-in or renewal whose expiry is only in the item.
    private func adopt(_ token: IssuedToken, _ position: Int, since begun: Int) async throws {
        let usual = Account.Holding(token)
        let found = try await machine.holding(of: accounts[position])
        accounts[position].holding = found ?? usual
        guard found?.matches(usual, within: Self.now - begun + 5) != true else { return }
        complain(accounts[position], "item", expected: usual.outline, nil)
    }

    /// Runs `status` for a host, which must list the account if it exists, and never its token.
    func status(_ position: Int) async throws {
        let account = accounts[position]
        let end = try await run("status", account, ["--json", "--offline"])
        let isListed = end.output.contains("\"\(account.login)\"")
        let password = account.holding?.password ?? ""
        let isTold = !password.isEmpty && (end.output + end.errors).contains(password)
        if isListed != (account.holding != nil) || isTold {
            complain(account, "status", expected: account.holding == nil ? "no such account" : "the account", end)
        }
    }

    /// Runs `logout`, half the time with revocation.
    func logout(_ position: Int) async throws {
        let account = accounts[position]
        guard account.holding != nil else { return try await get(position) }
        let revokes = Bool.random(using: &random) ? ["--revoke", "--force"] : []
        let end = try await run("logout", account, revokes)
        if end.status != 0 { complain(account, "logout", expected: "success", end) }
        accounts[position].holding = nil
    }

    private func run(_ verb: String, _ account: Account, _ options: [String] = []) async throws -> RunningProgram.End {
        let name = verb == "status" ? [] : ["--username", account.login]
        return try await machine.session.run([BuiltFiles.helper, verb, account.host] + name + options)
    }
}
