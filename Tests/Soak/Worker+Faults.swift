import Glibc
import Staging
import StandIn

/// What goes wrong on this side: programs and daemons that end in the middle.
extension Worker {
    /// Ends a renewal at any moment by a signal.
    func strike(_ position: Int) async throws {
        try await age(position)
        let account = accounts[position]
        let signals = [(SIGKILL, "kill -9"), (SIGTERM, "SIGTERM"), (SIGINT, "SIGINT"), (SIGHUP, "SIGHUP")]
        guard let (signal, name) = signals.randomElement(using: &random) else { return }
        count("program: \(name)")
        let moment = Duration.microseconds(Int.random(in: 0..<80_000, using: &random))
        let count = server.tokens.count
        let program = try machine.start("get", request(account))
        // A sweep over time: nothing else could say when.
        try await Task.sleep(for: moment)
        program.signal(signal)
        let end = try await program.ended()
        accounts[position].note("\(name) after \(moment), \(server.tokens.count - count) issued")
        try await settle(position, since: count, mayLosePair: signal == SIGKILL, after: name, end)
    }

    /// Chooses an account, whose token looks as if it were about to end.
    func chooseAged() async throws -> Int {
        let position = Int.random(in: accounts.indices, using: &random)
        try await age(position)
        return position
    }

    /// Asks for a token that is about to end, while the keyring's daemon is killed by somebody else.
    ///
    /// - Returns: what is to be called once there is a keyring again.
    func renewWhileKeyringDies(_ position: Int) async throws -> @Sendable () async throws -> Void {
        let count = server.tokens.count
        let end = try await machine.start("get", request(accounts[position])).ended()
        accounts[position].note("renewal while the keyring died, \(server.tokens.count - count) issued")
        tally.operations += 1
        return {
            try await self.settle(position, since: count, mayLosePair: true, after: "the keyring's death", end)
        }
    }

    /// Asks for a token while the keyring cannot be read: nothing may be given, nor anybody asked.
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

    /// Looks what a fault has left: the pair of before, or the one that the server issued meanwhile.
    ///
    /// - Parameters:
    ///   - position: the account's.
    ///   - count: how many tokens the server had issued before.
    ///   - mayLosePair: whether the new pair may have been lost on its way, as only a crash can do it.
    ///   - fault: what it was.
    ///   - end: what the program left behind.
    /// - Throws: `NeverHappened` if the item cannot be read.
    private func settle(
        _ position: Int, since count: Int, mayLosePair: Bool, after fault: String, _ end: RunningProgram.End
    ) async throws {
        // What the program has sent is carried out, though it is dead.
        let server = server
        try await eventually("an end of the connections") { server.isIdle ? true : nil }
        let account = accounts[position]
        let issued = issued(to: account, since: count)
        let found = try await machine.secret(of: account).map { Account.Holding(secret: $0) }
        let length = Int(end.duration.components.seconds) + 5
        let isNew = issued.last.map { found?.matches(Account.Holding($0), within: length) == true } ?? false
        var isOld = found == nil && account.holding == nil
        if let found, let held = account.holding {
            // The server may have refused a refresh token, which is then forgotten.
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
        if isNew { formerPasswords[account.login] = account.holding?.password }
        accounts[position].holding = found
    }

    /// Looks whether a token that was just about to end was tried to be renewed: if the server wanted the refresh token no
    /// more, it is forgotten, and the answer is the same.
    func lookForRefresh(_ position: Int) async throws {
        let account = accounts[position]
        guard var refused = account.holding, refused.refreshToken != nil, !takesRefreshToken(of: account) else {
            return
        }
        refused.refreshToken = nil
        let found = try await machine.secret(of: account).map { Account.Holding(secret: $0) }
        if let found, found.matches(refused) { accounts[position].holding = found }
    }

    /// Takes what is in the keyring for what has to be there, after something was wrong.
    func reconcile(_ position: Int) async throws {
        accounts[position].holding = try await machine.secret(of: accounts[position]).map {
            Account.Holding(secret: $0)
        }
    }

    /// Leaves every account signed in, with a token that was renewed just now, as after a day's end.
    func recover() async throws {
        for position in accounts.indices {
            if !accounts[position].signsIn {
                if accounts[position].holding == nil { try await signIn(position) }
                continue
            }
            // Once for a pair that the server does not want, which only then is known.
            try await get(position, isAged: true)
            while accounts[position].app?.lifetime != nil, accounts[position].holding?.refreshToken == nil {
                if accounts[position].holding != nil { try await logout(position) }
                try await signIn(position)
            }
            while accounts[position].holding == nil { try await signIn(position) }
        }
    }
}
