/// The result of a sign-in, decided in advance, so that the test need not play the person.
package struct SignInOutcome: Sendable {
    /// The decision of the person, or the state of the code or account.
    enum Decision: Sendable {
        /// No decision yet.
        case undecided
        case approved(login: String)
        case denied
        case expired
    }

    let decision: Decision
    /// How many polls get `authorization_pending` before the decision takes effect.
    let pendingPolls: Int

    /// The sign-in waits until somebody sends the form at `/login/device`, or calls `decide`.
    package static let waitForPerson = SignInOutcome(decision: .undecided, pendingPolls: 0)

    package static func approve(as login: String, afterPendingPolls polls: Int = 0) -> SignInOutcome {
        SignInOutcome(decision: .approved(login: login), pendingPolls: polls)
    }

    package static func deny() -> SignInOutcome { SignInOutcome(decision: .denied, pendingPolls: 0) }

    /// The code expires, whatever the clock shows.
    package static func expire() -> SignInOutcome { SignInOutcome(decision: .expired, pendingPolls: 0) }
}
