/// What becomes of a sign-in, decided before it begins: the person that a test need not play.
package struct SignInOutcome: Sendable {
    /// What the person, or their account, does.
    enum Decision: Sendable {
        /// Nothing yet.
        case undecided
        /// `scopes` nil: all that were asked for.
        case approved(login: String, scopes: [String]?)
        case denied
        case expired
        case emailUnverified
    }

    let decision: Decision
    /// Polls answered `authorization_pending` before the decision shows.
    let pendingPolls: Int

    /// Nothing happens by itself: somebody has to fill in the form at `/login/device`, or call `decide`.
    package static let waitForPerson = SignInOutcome(decision: .undecided, pendingPolls: 0)

    /// The person approves as `login`, perhaps granting fewer `scopes` than asked, after so many pending polls.
    package static func approve(
        as login: String, scopes: [String]? = nil, afterPendingPolls polls: Int = 0
    ) -> SignInOutcome {
        SignInOutcome(decision: .approved(login: login, scopes: scopes), pendingPolls: polls)
    }

    /// The person presses Cancel.
    package static func deny(afterPendingPolls polls: Int = 0) -> SignInOutcome {
        SignInOutcome(decision: .denied, pendingPolls: polls)
    }

    /// The code runs out, whatever the clock says.
    package static func expire(afterPendingPolls polls: Int = 0) -> SignInOutcome {
        SignInOutcome(decision: .expired, pendingPolls: polls)
    }

    /// The person approves, but has no verified e-mail address.
    package static func emailUnverified(afterPendingPolls polls: Int = 0) -> SignInOutcome {
        SignInOutcome(decision: .emailUnverified, pendingPolls: polls)
    }
}
