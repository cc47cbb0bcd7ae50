internal import CredentialCore
internal import Helper
internal import Share
internal import TestSupport
internal import Verbs

/// The purpose of one run of the program.
struct Action {
    /// git's operation; `nil` for a verb, and for a token for a gateway's connection.
    var operation: CredentialCore.Operation?
    let name: String
    var password: String?
    /// Whether a person starts the program, without git.
    var isByPerson = false
    var maySignIn: Bool { operation == .get || name == "login" }
    static let get = Action(operation: .get, name: "get")
}

/// A caller that starts the program repeatedly: git, Git LFS, a repository that stores a password, a person.
final class Client {
    enum Kind {
        case git, lfs, plant, forget, refresh, login, logout, revoke, recover
        /// A place behind a gateway.
        case place
    }

    static let accounts = [
        Account(site: .github, name: "alice"), Account(site: .github, name: "bob"),
        Account(site: .gitlab, name: "alice"),
    ]

    let number: Int
    let seat: Int
    let kind: Kind
    let site: Site
    let username: String?
    /// The name that a verb gets; some clients type it in another case, chosen by number so that no random draw
    /// changes.
    private var typedName: String? { number % 3 == 0 ? username?.uppercased() : username }
    /// The number of git's command, which may need several tokens at once.
    let command: Int
    let hasPerson: Bool
    private let sendsState: Bool
    private unowned let simulation: Simulation
    /// The uptime at which the client continues, in milliseconds.
    var wakeTime: Int64
    /// The surroundings of the program while it runs.
    private(set) var outside: Outside?

    init(_ number: Int, _ simulation: Simulation) {
        let (first, rest) = (simulation.random.next(below: 100), simulation.random.next(below: 4))
        let plan = simulation.plan
        kind =
            if plan.rejects { .lfs } else if plan.isApart { first < 60 ? .git : .refresh } else {
                switch first {
                case ..<50: .git
                case ..<57: .lfs
                case ..<67: .plant
                case ..<71: .forget
                // Decided by the seed without a random draw, so that other schedules stay the same.
                case ..<82: simulation.hasPlaces ? .place : .refresh
                case ..<91: .login
                case ..<97: .logout
                default: .revoke
                }
            }
        site = simulation.random.next(below: 5) == 0 ? .gitlab : .github
        username = site == .gitlab || rest == 0 ? "alice" : rest == 1 ? "bob" : nil
        command = simulation.random.next(below: 3)
        hasPerson = !plan.rejects && !plan.isApart && simulation.random.next(below: 3) > 0
        sendsState = plan.rejects || simulation.random.next(below: 4) > 0
        let delay = simulation.random.next(below: [1, 50, 50, 20_000][simulation.random.next(below: 4)])
        wakeTime = simulation.uptime + Int64(delay)
        self.number = number
        seat = number - 1
        self.simulation = simulation
    }

    init(_ number: Int, _ simulation: Simulation, recovering account: Account) {
        kind = .recover
        site = account.site
        username = account.name
        command = number
        (hasPerson, sendsState) = (true, true)
        wakeTime = simulation.uptime
        self.number = number
        seat = 0
        self.simulation = simulation
    }

    func live() {
        switch kind {
        case .git: useToken()
        case .lfs: useTokens()
        case .recover: recover()
        case .place: usePlace()
        case .plant:
            let user = typedName ?? "alice"
            _ = run(
                Action(operation: .store, name: "plants", password: "garbage\(number)"),
                "username=\(user)\npassword=garbage\(number)\n")
        case .forget: _ = run(Action(operation: .erase, name: "forgets", isByPerson: true), userLine)
        case .refresh: run(verb: "refresh", [])
        case .login: run(verb: "login", [[], [], ["--force"]][simulation.random.next(below: 3)])
        case .logout: run(verb: "logout", username == nil ? ["--all"] : [])
        case .revoke: run(verb: "logout", (username == nil ? ["--all"] : []) + ["--revoke"])
        }
    }

    // MARK: git

    private struct Token {
        let password: String
        let text: String

        init?(_ answer: String?) {
            guard let answer, let password = answer.value(of: "password", in: "\n") else { return nil }
            (self.password, text) = (password, answer)
        }
    }

    private var capability: String { sendsState ? "capability[]=state\n" : "" }
    private var userLine: String { typedName.map { "username=\($0)\n" } ?? "" }
    private func get() -> Token? { Token(run(.get, capability + userLine)) }

    /// Uses a token as git does, then stores it if it works, and erases it otherwise.
    ///
    /// Returns `nil` if the store or erase was killed.
    private func use(_ token: Token) -> Bool? {
        simulation.log { "\(self.number) git uses \(token.password)" }
        simulation.handOver(self, simulation.latency())
        let isAccepted = simulation.server.accepts(token.password, at: simulation.now)
        let end = run(
            Action(
                operation: isAccepted ? .store : .erase, name: isAccepted ? "store" : "erase", password: token.password),
            capability + token.text)
        return end == nil ? nil : isAccepted
    }

    private func useToken() {
        // Without a common lock, the token may have been replaced since, so a rejection may be stale.
        guard let token = get(), !simulation.plan.isApart else { return }
        if simulation.random.next(below: 8) > 0 { _ = use(token) }
    }

    /// Git LFS 3.6 asks again as long as it gets a token.
    private func useTokens() {
        var seen: [String] = []
        while let token = get(), seen.count < 10 {
            simulation.rules.rejectedClient(got: token.password, after: seen)
            seen.append(token.password)
            if use(token) != false { return }
        }
    }

    /// Serves several connections as the process of a gateway does, while tokens are refreshed and rejected.
    private func usePlace() {
        let host = site.name
        guard let name = ShareName("place") else { return }
        let plan = SharePlan(
            name: name, kind: .directory, hosts: [SharePlan.Host(host, username: username.map { Array($0.utf8) })],
            access: .gateway(GatewayPolicy(.hosts([host]))))
        for _ in 1...3 {
            guard let token = ask(plan, rejected: nil) else { return }
            simulation.handOver(self, simulation.latency())
            guard !simulation.server.accepts(token, at: simulation.now) else { continue }
            guard let other = ask(plan, rejected: token) else { return }
            if other == token { simulation.fail("no rejected token is given again", "\(number) \(token)") }
        }
    }

    private func ask(_ plan: SharePlan, rejected: String?) -> String? {
        let output = started(Action(name: rejected == nil ? "serves" : "serves again")) { outside in
            let screen = ScriptedScreen(clock: RecordingClock())
            screen.answer = .nobodyToAsk
            let credentials = ShareCredentials(
                for: plan, screen: screen, clock: outside, words: UserFacingError.unreachable,
                dependencies: { outside.dependencies() }
            ) { _ in }
            guard let repository = RepositoryName(host: site.name, path: "acme/app") else { return "" }
            let credential = try? credentials.credential(
                for: GatewayIntention(repository, .uploadPack, .discovery), on: plan.hosts[0],
                rejected: rejected.map { StoredCredential.digest(of: Secret($0.utf8)) },
                arrivedAt: outside.uptimeMilliseconds, whileWaiting: {})
            return credential.map { "password=\($0.password.text)\n" } ?? ""
        }
        return Token(output)?.password
    }

    private func recover() {
        let account = Account(site: site, name: username ?? "")
        let isNeeded = simulation.rules.needsSignIn(account)
        let prompts = simulation.rules.prompts
        for _ in 1...4 {
            guard let token = get(), use(token) == true else { continue }
            if !isNeeded, simulation.rules.prompts > prompts {
                simulation.fail("nobody is asked without need", "\(account)")
            }
            return
        }
        simulation.fail("afterwards all is well", "\(account) gets no token")
    }

    // MARK: The program

    /// Runs an operation, and returns its standard output; `nil` if the run was killed.
    private func run(_ action: Action, _ lines: String) -> String? {
        started(action) { outside in
            let text = "protocol=https\nhost=\(site.rawValue)\n" + lines
            guard let operation = action.operation, let request = try? Request(parsing: Secret(text)) else { return "" }
            let answer = CredentialHelper(with: outside.dependencies()).answer(operation, request)
            return operation == .get ? answer.encoded(for: request).text : ""
        }
    }

    private func run(verb name: String, _ options: [String]) {
        let words = [site.rawValue] + (typedName.map { ["--username", $0] } ?? []) + options
        guard let verb = ParsedVerbs.verb(name, words) else {
            return simulation.fail("the simulator's words", "\(name) \(words)")
        }
        _ = started(Action(name: name, isByPerson: true)) { outside in
            do throws(UserFacingError) { _ = try verb.run(with: .simulated(outside)) } catch {
                outside.report(error)
            }
            return ""
        }
    }

    private func started(_ action: Action, _ body: (Outside) -> String) -> String? {
        let outside = Outside(simulation, self, action)
        self.outside = outside
        simulation.rules.began(outside)
        outside.step("starts")
        let output = body(outside)
        simulation.releaseLocks(of: outside)
        if outside.isAlive { simulation.rules.ended(outside, Token(output)?.password) }
        self.outside = nil
        // Lets other clients notice the end.
        simulation.handOver(self, 0)
        return outside.isAlive ? output : nil
    }
}
