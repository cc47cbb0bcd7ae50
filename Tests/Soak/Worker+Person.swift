import Staging

/// The verbs that a person runs.
extension Worker {
    /// Signs in on a terminal; one sign-in in eight is declined.
    func signIn(_ position: Int) async throws {
        let account = accounts[position]
        guard account.signsIn else { return try await storeAgain(position) }
        accounts[position].note("login")
        let isDenied = Int.random(in: 0..<8, using: &random) == 0
        if isDenied { count("sign-in denied") }
        server.nextSignIn(isDenied ? .deny() : .approve(as: account.login))
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

    /// Stores a password again.
    private func storeAgain(_ position: Int) async throws {
        let password = "again-\(UInt64.random(in: 0 ... .max, using: &random))"
        let end = try await machine.start("store", request(accounts[position], "password=\(password)")).ended()
        if end.status != 0 { complain(accounts[position], "store", expected: "silence", end) }
        accounts[position].holding = Account.Holding(password: password)
    }

    /// Runs `refresh`.
    func refresh(_ position: Int) async throws {
        let account = accounts[position]
        let isRefreshable = takesRefreshToken(of: account)
        let count = server.tokens.count
        let begun = Self.now
        let end = try await run("refresh", account)
        let issued = issued(to: account, since: count)
        if isRefreshable, end.status == 0, issued.count == 1, let token = issued.first {
            formerPasswords[account.login] = account.holding?.password
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
        let found = try await machine.secret(of: accounts[position]).map { Account.Holding(secret: $0) }
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
        formerPasswords[account.login] = account.holding?.password
        accounts[position].holding = nil
    }

    private func run(_ verb: String, _ account: Account, _ options: [String] = []) async throws -> RunningProgram.End {
        let name = verb == "status" ? [] : ["--username", account.login]
        return try await machine.session.run([BuiltFiles.helper, verb, account.host] + name + options)
    }
}
