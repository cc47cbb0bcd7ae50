import TestSupport
import Testing

/// The state of a stored account is decided in one place, so all verbs report the same one.
@Suite("State of an account, as each verb reports it")
struct AccountTests: HelperSuite {
    private let examination = Examination()
    var helper: HelperFixture { examination.helper }

    enum Stored: CaseIterable { case good, unchecked, rejected, ended, renewable, lost, ofAnother, unclaimed }

    private static let states: [Stored: (name: String, result: Diagnosis.Result)] = [
        .good: ("authorized", .ok), .unchecked: ("unknown", .skip), .rejected: ("revoked", .fail),
        .ended: ("expired", .fail), .renewable: ("expired", .ok), .lost: ("not_found", .fail),
        .ofAnother: ("other_account", .fail), .unclaimed: ("other_account", .warn),
    ]
    private static let signedIn: Set<Stored> = [.good, .unchecked, .renewable]

    private func store(_ stored: Stored) {
        switch stored {
        case .good, .unchecked, .rejected, .ofAnother: helper.brought("ghp_mine")
        case .ended: helper.stored(expiresIn: -10, refreshToken: nil)
        case .renewable: helper.stored(expiresIn: -10)
        case .lost: helper.brought("")
        case .unclaimed: helper.brought("ghp_mine", user: "x-access-token")
        }
        let isRejected = stored == .rejected
        let isUnchecked = stored == .unchecked
        let owner = [.ofAnother, .unclaimed].contains(stored) ? "mallory" : "octocat"
        doubles.transport.aside = { request in
            guard "\(request.address)" == "https://api.github.com/user" else { return nil }
            if isRejected { return GitHubAnswers.badCredentials }
            return isUnchecked ? .json("{}", status: 503) : GitHubAnswers.user(owner)
        }
    }

    @Test("status and doctor, with the exit status", arguments: Stored.allCases)
    func told(stored: Stored) throws {
        store(stored)
        let status = try verb.run("status", "--json")
        #expect(verb.printed.contains("\"state\": \"\(Self.states[stored]?.name ?? "")\""))
        #expect((status.status == .done) == Self.signedIn.contains(stored))
        let account = examination.found(.account, date: nil).first
        #expect(account?.state == Self.states[stored]?.name && account?.result == Self.states[stored]?.result)
        #expect(account?.username == (stored == .unclaimed ? "x-access-token" : "octocat"))
    }

    @Test("login and setup show a code, or not", arguments: Stored.allCases)
    func signsIn(stored: Stored) throws {
        for name in ["login", "setup"] {
            store(stored)
            if stored == .renewable {
                respond(GitHubAnswers.gitHubAppToken)
            } else if !Self.signedIn.contains(stored) {
                respond(GitHubAnswers.device)
                doubles.ui.endOfWait = (doubles.ui.waits.count + 1, .cancelled)
            }
            // setup ends with this overview.
            if name == "setup", Self.signedIn.contains(stored) { examination.answer() }
            let before = prompts.count
            _ = try verb.run(name, "github.com")
            #expect((prompts.count == before) == Self.signedIn.contains(stored), "\(name)")
            if name == "login" { #expect(doubles.transport.isExhausted) }
        }
    }
}
