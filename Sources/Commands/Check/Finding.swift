internal import CredentialCore
internal import Helper
package import Messages
package import Providers

/// What `check` has found out.
package struct Finding {
    /// The outcome, as programs read it.
    package enum Result: String {
        case reachable
        case notSignedIn = "not_signed_in"
        case tokenEnded = "token_ended"
        case tokenRejected = "token_rejected"
        case singleSignOn = "single_sign_on"
        case appRestricted = "app_restricted"
        case appNotInstalled = "app_not_installed"
        case addressNotAllowed = "address_not_allowed"
        case scopeMissing = "scope_missing"
        case wrongAccount = "wrong_account"
        case notFound = "not_found"
        case rateLimited = "rate_limited"
        case blocked
        case refused
        case offline
        case serverInTrouble = "server_in_trouble"
        case unknown
    }

    /// The outcome.
    package private(set) var result: Result
    /// The host as it is said to people.
    package let host: String
    /// The repository's name: the host's own spelling if it has told one.
    package private(set) var repository: String
    /// The account that was used, or asked for; nil for none.
    package var account: String?
    /// What may be done; nil if it cannot be read.
    package var rights: RepositoryRights?
    /// A page on which a person can mend it.
    package var page: String?
    /// Another stored account that can do more.
    package private(set) var otherAccount: String?
    /// What there is to say: lower case, no full stop.
    package private(set) var text: Message
    /// What to do, a line each.
    package private(set) var hints: [Message]

    /// A finding with its words.
    init(_ result: Result, host: String, repository: String, text: Message, hints: [Message]) {
        self.result = result
        self.host = host
        self.repository = repository
        self.text = text
        self.hints = hints
    }

    /// A finding for which there is a complaint already.
    init(_ result: Result, host: String, repository: String, because complaint: UserFacingError) {
        self.init(result, host: host, repository: repository, text: complaint.text, hints: complaint.hints)
    }

    /// Whether it can be read: the exit status.
    package var canRead: Bool { rights != nil }

    /// Whether it is worth asking with the other accounts.
    var mayBeBetterWithAnother: Bool {
        switch result {
        case .reachable: rights.map { !$0.canPush && !$0.isArchived } ?? false
        case .notSignedIn, .tokenEnded, .tokenRejected, .singleSignOn, .appRestricted, .appNotInstalled, .scopeMissing,
            .notFound, .refused:
            true
        case .wrongAccount, .addressNotAllowed, .rateLimited, .blocked, .offline, .serverInTrouble, .unknown: false
        }
    }

    /// Whether the reason is certain, and can be mended for this very account.
    private var isMendedElsewhere: Bool {
        switch result {
        case .singleSignOn, .appRestricted, .tokenEnded, .tokenRejected: true
        default: false
        }
    }

    /// Whether another account's rights are more than these.
    func isSurpassed(by other: RepositoryRights) -> Bool {
        guard let rights else { return true }
        return other.canPush && !rights.canPush
    }

    /// Says that another stored account can do more, and how git is told to use it.
    mutating func name(_ other: String) {
        otherAccount = other
        if rights == nil, !isMendedElsewhere {
            result = .wrongAccount
            text = Message("%1$s is out of reach for %2$s, but not for %3$s", repository, account ?? "", other)
            hints = []
        } else {
            hints.append(Message("the account %1$s, which is stored as well, can do more here", other))
        }
        // Both commands are to be pasted into a shell.
        guard RepositoryAddress("https://\(other)@\(host)/\(repository)")?.username == other else { return }
        let owner = repository.split(separator: "/").first.map(String.init) ?? ""
        hints += [
            Message("name that account in the address, or for everything of this owner:"),
            .command("git remote set-url origin https://\(other)@\(host)/\(repository)"),
            .command("git config --global credential.https://\(host)/\(owner).username \(other)"),
        ]
    }
}
