package import CredentialCore
package import Helper
package import Messages
package import Providers

/// What `check` has found out, as facts.
///
/// Of what the host wrote, it contains only names and addresses in which every byte was checked.
package struct Finding: Equatable {
    /// The outcome, as programs read it.
    package enum Result: String {
        case reachable
        case notSignedIn = "not_signed_in"
        case tokenEnded = "token_ended"
        case tokenRejected = "token_rejected"
        case otherAccount = "other_account"
        case singleSignOn = "single_sign_on"
        case appRestricted = "app_restricted"
        case appNotInstalled = "app_not_installed"
        case addressNotAllowed = "address_not_allowed"
        case scopeMissing = "scope_missing"
        case wrongAccount = "wrong_account"
        case notFound = "not_found"
        case moved
        case rateLimited = "rate_limited"
        case blocked
        case refused
        case offline
        case serverInTrouble = "server_in_trouble"
        case unknown
    }

    /// The outcome in detail.
    package enum Reason: Equatable {
        case reached(RepositoryRights)
        /// Nobody is signed in; a public repository can still be read.
        case notSignedIn(RepositoryRights?)
        case tokenEnded
        case tokenRejected
        /// The token is that account's.
        case otherAccount(owner: DisplayText)
        case singleSignOn(page: HTTPSAddress?)
        case appRestricted
        case appNotInstalled
        /// Absent, hidden, or the app is not installed: the host does not say.
        case notFoundByApp
        case addressNotAllowed
        /// The scope that the token lacks.
        case scopeMissing(DisplayText)
        case notFound
        /// It has another name or owner now.
        case moved
        case rateLimited(minutes: Int64)
        case blocked
        case refused(status: Int)
        case offline(TransportError)
        case serverInTrouble(status: Int)
        case malformedAnswer
        case failed(UserFacingError)
    }

    /// The host, as shown to people.
    package let host: DisplayText
    /// The name of the service.
    package let provider: DisplayText
    /// The repository as the person named it.
    package let repository: DisplayText
    /// The account that was used, or asked for; nil for none.
    package let account: DisplayText?
    /// How that account signs in again.
    package let signInAgain: SignInAgain
    /// Why.
    package let reason: Reason
    /// A page on which a person can fix it.
    package private(set) var page: HTTPSAddress?
    /// A page on which a person sees more, although there may be nothing to fix.
    package private(set) var furtherPage: HTTPSAddress?
    /// Another stored account that can do more.
    package private(set) var otherAccount: DisplayText?
    /// How to tell git to use it.
    package private(set) var choices: [AccountChoice] = []

    /// A finding for which there is an error already.
    init(_ error: UserFacingError, host: DisplayText, repository: String) {
        self.host = host
        provider = ""
        self.repository = DisplayText(own: repository)
        account = nil
        signInAgain = SignInAgain(account: nil)
        reason = .failed(error)
    }

    /// A finding about an account.
    ///
    /// - Parameters:
    ///   - reason: the outcome.
    ///   - repository: as the person named it.
    ///   - account: whose token was used, or asked for.
    ///   - signInAgain: how that account signs in again.
    ///   - host: where.
    init(
        _ reason: Reason, repository: String, account: DisplayText?, _ signInAgain: SignInAgain, on host: SignInHost
    ) {
        self.host = host.displayName
        provider = host.provider.displayName
        self.repository = DisplayText(own: repository)
        self.account = account
        self.signInAgain = signInAgain
        self.reason = reason
        switch reason {
        case .singleSignOn(let page):
            self.page = page
            furtherPage = host.provider.page(.singleSignOn(organisation: owner.text), on: host)
        case .appRestricted: page = host.provider.page(.approval, on: host)
        case .appNotInstalled, .notFoundByApp: page = host.provider.page(.installations, on: host)
        case .moved: page = host.provider.page(.repository(repository), on: host)
        case .reached(let rights):
            furtherPage =
                rights.workflows == .unknown
                ? host.provider.page(.installations, on: host) : host.provider.page(.branchRules(repository), on: host)
        default: break
        }
    }

    /// Notes that another stored account can do more.
    mutating func name(_ other: DisplayText, chosenBy choices: [AccountChoice]) {
        otherAccount = other
        self.choices = choices
    }

    /// What may be done; nil if it cannot be read.
    package var rights: RepositoryRights? {
        switch reason {
        case .reached(let rights): rights
        case .notSignedIn(let rights): rights
        default: nil
        }
    }

    /// The owner's name.
    package var owner: DisplayText {
        DisplayText(own: repository.text.split(separator: "/").first.map(String.init) ?? "")
    }

    /// Whether it can be read, for the exit status.
    package var canRead: Bool { rights != nil }

    /// Whether the repository is out of reach for this account alone.
    package var isWrongAccount: Bool { otherAccount != nil && rights == nil && !isMendedElsewhere }

    /// The outcome.
    package var result: Result {
        if isWrongAccount { return .wrongAccount }
        return switch reason {
        case .reached: .reachable
        case .notSignedIn: .notSignedIn
        case .tokenEnded: .tokenEnded
        case .tokenRejected: .tokenRejected
        case .otherAccount: .otherAccount
        case .singleSignOn: .singleSignOn
        case .appRestricted: .appRestricted
        case .appNotInstalled, .notFoundByApp: .appNotInstalled
        case .addressNotAllowed: .addressNotAllowed
        case .scopeMissing: .scopeMissing
        case .notFound: .notFound
        case .moved: .moved
        case .rateLimited: .rateLimited
        case .blocked: .blocked
        case .refused: .refused
        case .offline: .offline
        case .serverInTrouble: .serverInTrouble
        case .malformedAnswer, .failed: .unknown
        }
    }

    /// Whether it is worth asking with the other accounts.
    var mayBeBetterWithAnother: Bool {
        switch result {
        case .reachable: rights.map { !$0.canPush && !$0.isArchived } ?? false
        case .notSignedIn, .tokenEnded, .tokenRejected, .otherAccount, .singleSignOn, .appRestricted, .appNotInstalled,
            .scopeMissing, .notFound, .refused:
            true
        case .wrongAccount, .moved, .addressNotAllowed, .rateLimited, .blocked, .offline, .serverInTrouble, .unknown:
            false
        }
    }

    /// Whether the reason is certain, and can be fixed for this account.
    private var isMendedElsewhere: Bool {
        switch reason {
        case .singleSignOn, .appRestricted, .tokenEnded, .tokenRejected, .otherAccount: true
        default: false
        }
    }

    /// Whether another account has more rights.
    func isSurpassed(by other: RepositoryRights) -> Bool {
        guard let rights else { return true }
        return other.canPush && !rights.canPush
    }
}

extension Finding.Reason {
    /// What a host's answer means.
    ///
    /// - Parameters:
    ///   - answer: the host's.
    ///   - now: in seconds since 1970.
    init(_ answer: RepositoryAnswer, now: Int64) {
        self =
            switch answer {
            case .reached(let rights): .reached(rights)
            case .tokenRejected: .tokenRejected
            case .singleSignOnRequired(let page): .singleSignOn(page: page)
            case .appRestricted: .appRestricted
            case .appNotInstalled: .appNotInstalled
            case .addressNotAllowed: .addressNotAllowed
            case .notFound: .notFound
            case .moved: .moved
            case .notFoundByApp: .notFoundByApp
            case .scopeMissing(let scope): .scopeMissing(DisplayText(own: scope))
            case .rateLimited(let until): .rateLimited(minutes: Self.minutes(until, now))
            case .blocked: .blocked
            case .refused(let status): .refused(status: status)
            case .unavailable(let status): .serverInTrouble(status: status)
            case .malformed: .malformedAnswer
            }
    }

    /// Limits are counted per hour; a time beyond that cannot be the host's.
    private static func minutes(_ until: Int64?, _ now: Int64) -> Int64 {
        let hour: Int64 = 60
        return until.map { min(max(($0 - min(now, $0) + 59) / 60, 1), hour) } ?? hour
    }
}
