import TestSupport
import Testing

/// The state of a stored account is decided in one place, so all verbs report the same one.
@Suite("State of an account, as each verb reports it")
struct AccountTests {
    private let examination = Examination()
    private var helper: HelperFixture { examination.helper }
    private var doubles: Doubles { examination.doubles }

    enum Stored: CaseIterable {
        case good
        case unchecked
        case rejected
        case ended
        case renewable
        case lost
        case ofAnother
        case unclaimed
    }

    private static let states: [Stored: String] = [
        .good: "authorized", .unchecked: "unknown", .rejected: "revoked", .ended: "expired", .renewable: "expired",
        .lost: "not_found", .ofAnother: "other_account", .unclaimed: "other_account",
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
        let status = try examination.verb.run("status", "--json")
        #expect(examination.verb.printed.contains("\"state\": \"\(Self.states[stored] ?? "")\""))
        #expect((status.status == .done) == Self.signedIn.contains(stored))
        examination.answer(date: nil)
        let account = examination.diagnoses(.account).first
        #expect(account?.state == Self.states[stored])
        #expect(account?.username == (stored == .unclaimed ? "x-access-token" : "octocat"))
    }

    @Test("login and setup show a code, or not", arguments: Stored.allCases)
    func signsIn(stored: Stored) throws {
        for verb in ["login", "setup"] {
            store(stored)
            if stored == .renewable {
                doubles.transport.answer(GitHubAnswers.gitHubAppToken)
            } else if !Self.signedIn.contains(stored) {
                doubles.transport.answer(GitHubAnswers.device)
                doubles.ui.endOfWait = (doubles.ui.waits.count + 1, .cancelled)
            }
            // setup ends with this overview.
            if verb == "setup", Self.signedIn.contains(stored) { examination.answer() }
            let before = doubles.ui.prompts.count
            _ = try examination.verb.run(verb, "github.com")
            #expect((doubles.ui.prompts.count == before) == Self.signedIn.contains(stored), "\(verb)")
        }
    }
}
