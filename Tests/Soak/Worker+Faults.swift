import Staging

/// Faults on this machine: programs and daemons that end in the middle of their work.
extension Worker {
    func strike(_ position: Int) async throws {
        try await age(position)
        let account = accounts[position]
        let signals = [(SIGKILL, "kill -9"), (SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGHUP, "SIGHUP")]
        guard let (signal, name) = signals.randomElement(using: &random) else { return }
        count("program: \(name)")
        let moment = Duration.microseconds(Int.random(in: 0..<80_000, using: &random))
        let count = server.tokens.count
        let program = try machine.start("get", request(account))
        // Sleep for a varying time: no event marks these moments.
        try await Task.sleep(for: moment)
        program.signal(signal)
        let end = try await program.ended()
        accounts[position].note("\(name) after \(moment), \(server.tokens.count - count) issued")
        try await settle(position, since: count, mayLosePair: signal == SIGKILL, after: name, end)
    }

    /// Chooses an account, and lets its token expire soon.
    func chooseAged() async throws -> Int {
        let position = Int.random(in: accounts.indices, using: &random)
        try await age(position)
        return position
    }

    /// Starts a renewal, during which the caller kills the keyring's daemon.
    func renewWhileKeyringDies(_ position: Int) async throws -> @Sendable () async throws -> Void {
        let count = server.tokens.count
        let end = try await machine.start("get", request(accounts[position])).ended()
        accounts[position].note("renewal while the keyring died, \(server.tokens.count - count) issued")
        tally.operations += 1
        return { try await self.settle(position, since: count, mayLosePair: true, after: "the keyring's death", end) }
    }

    /// Runs a `get` while the keyring cannot be read: nothing may be printed, and nobody may be asked.
    func getWithoutKeyring(_ why: String) async throws {
        let account = accounts[Int.random(in: accounts.indices, using: &random)]
        let count = server.requests(to: .deviceCode).count
        let end = try await machine.start("get", request(account)).ended()
        tally.operations += 1
        let isRight = end.output.isEmpty || end.output == "quit=1\n"
        let hasAsked = server.requests(to: .deviceCode).count != count
        if !isRight || hasAsked || end.duration > .seconds(30) {
            complain(account, "get with a keyring that \(why)", expected: "no password", end)
        }
    }

    /// Compares an item after a fault: it must have the previous pair, or the one that the server issued meanwhile.
    private func settle(
        _ position: Int, since count: Int, mayLosePair: Bool, after fault: String, _ end: RunningProgram.End
    ) async throws {
        // The server carries out the requests of a killed program.
        let server = server
        try await eventually("an end of the connections") { server.isIdle }
        let account = accounts[position]
        let issued = issued(to: account, since: count)
        let found = try await machine.holding(of: account)
        let length = Int(end.duration.components.seconds) + 5
        let isNew = issued.last.map { found?.matches(Account.Holding($0), within: length) == true } ?? false
        var isOld = found == nil && account.holding == nil
        if let found, let held = account.holding {
            // The server may have refused the refresh token, which the program then removes.
            var refused = held
            refused.refreshToken = nil
            isOld = found.matches(held) || found.matches(refused) && !takesRefreshToken(of: account)
        }
        let given = GivenAnswer(end.output).password
        let known = [account.holding?.password] + issued.map(\.accessToken)
        let isRight = isNew || (isOld && (issued.isEmpty || mayLosePair))
        if !isRight || issued.count > 1 || (given != nil && !known.contains(given)) {
            let expected = ([account.holding] + issued.map { Account.Holding($0) }).compactMap { $0?.outline }
            complain(
                account, "item after \(fault), \(issued.count) issued: \(found?.outline ?? "none")",
                expected: expected.joined(separator: " or "), end)
        }
        accounts[position].holding = found
    }

    /// Checks whether a token just about to expire was renewed.
    ///
    /// If the server refused the refresh token, the program removes it and still returns the access token.
    func lookForRefresh(_ position: Int) async throws {
        let account = accounts[position]
        guard var refused = account.holding, refused.refreshToken != nil, !takesRefreshToken(of: account) else {
            return
        }
        refused.refreshToken = nil
        let found = try await machine.holding(of: account)
        if let found, found.matches(refused) { accounts[position].holding = found }
    }

    /// Takes the keyring's item as the expected one, after an error was reported.
    func reconcile(_ position: Int) async throws {
        accounts[position].holding = try await machine.holding(of: accounts[position])
    }

    /// Renews every account's token, signing in where necessary, as at a day's end.
    func recover() async throws {
        for position in accounts.indices {
            if !accounts[position].signsIn {
                if accounts[position].holding == nil { try await signIn(position) }
                continue
            }
            // The first `get` may find out that the server refuses the pair.
            try await get(position, isAged: true)
            while accounts[position].app?.lifetime != nil, accounts[position].holding?.refreshToken == nil {
                if accounts[position].holding != nil { try await logout(position) }
                try await signIn(position)
            }
            while accounts[position].holding == nil { try await signIn(position) }
        }
    }
}
