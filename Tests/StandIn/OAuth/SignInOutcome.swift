/// What becomes of a sign-in, decided before it begins: the person that a test need not play.
package struct SignInOutcome: Sendable {
    /// What the person, or their account, does.
    enum Decision: Sendable {
        /// Nothing yet.
        case undecided
        case approved(login: String)
        case denied
        case expired
    }

    let decision: Decision
    /// Polls answered `authorization_pending` before the decision shows.
    let pendingPolls: Int

    /// Nothing happens by itself: somebody has to fill in the form at `/login/device`, or call `decide`.
    package static let waitForPerson = SignInOutcome(decision: .undecided, pendingPolls: 0)

    package static func approve(as login: String, afterPendingPolls polls: Int = 0) -> SignInOutcome {
        SignInOutcome(decision: .approved(login: login), pendingPolls: polls)
    }

    /// The person presses Cancel.
    package static func deny() -> SignInOutcome { SignInOutcome(decision: .denied, pendingPolls: 0) }

    /// The code runs out, whatever the clock says.
    package static func expire() -> SignInOutcome { SignInOutcome(decision: .expired, pendingPolls: 0) }
}
