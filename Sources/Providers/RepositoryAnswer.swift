package import CredentialCore

/// What a host says of a repository to the holder of a token, in the same terms for each kind of host.
package enum RepositoryAnswer: Equatable {
    /// It is there and can be read.
    case reached(RepositoryRights)
    /// It has another name or owner by now; which, is not asked: an answer that leads elsewhere is not followed.
    case moved
    /// The token is good for nothing.
    case tokenRejected
    /// The organisation wants single sign-on first, on that page if one was named that can be trusted.
    case singleSignOnRequired(page: HTTPSAddress?)
    /// The organisation lets only those OAuth apps in that it has approved.
    case appRestricted
    /// The app is not installed on the repository, or lacks the permission.
    case appNotInstalled
    /// The organisation lets only certain network addresses in.
    case addressNotAllowed
    /// There is none, or none that the token may see: hosts do not tell the two apart.
    case notFound
    /// As before, or the app that the token belongs to is not installed there.
    case notFoundByApp
    /// As before, and the token lacks the scope that private repositories take, which is named.
    case scopeMissing(String)
    /// Too many questions.
    case rateLimited(RateLimit)
    /// Taken down by the host, for legal reasons or others.
    case blocked
    /// Refused for a reason that we do not know.
    case refused(status: Int)
    /// The server has trouble of its own.
    case unavailable(status: Int)
    /// No answer of such a host.
    case malformed

    package var isReached: Bool { if case .reached = self { true } else { false } }

    /// What the status says, of a host's API or of git's own protocol.
    init(_ response: HTTPResponse) {
        switch response.status {
        // Of one that was renamed; not followed, since the token would go along.
        case 301, 302, 307, 308: self = .moved
        case 401: self = .tokenRejected
        case 404: self = .notFound
        case 429: self = .rateLimited(RateLimit(response))
        case 451: self = .blocked
        case 400..<500: self = .refused(status: response.status)
        case 500...: self = .unavailable(status: response.status)
        default: self = .malformed
        }
    }
}

/// When a host that has had too many requests wants the next one.
package struct RateLimit: Equatable {
    /// In seconds, from its answer on.
    private let retryAfter: Int64?
    /// In seconds since 1970.
    private let reset: Int64?

    package init(retryAfter: Int64? = nil, reset: Int64? = nil) {
        self.retryAfter = retryAfter
        self.reset = reset
    }

    /// By `Retry-After`, else by the names that GitHub and GitLab have for the time.
    init(_ response: HTTPResponse) {
        let reset = response.header("x-ratelimit-reset") ?? response.header("ratelimit-reset")
        self.init(retryAfter: response.retryAfter, reset: reset.flatMap(DecimalNumber.parse))
    }

    /// Limits are counted per hour, so a moment beyond that is our clock's fault; a pause is taken as it stands, up to a
    /// day.
    ///
    /// `now` is in seconds since 1970.
    package func minutes(at now: Int64) -> Int64 {
        let pause = retryAfter.map { min($0, 86_400) } ?? min(reset.map { $0 - min(now, $0) } ?? 3_600, 3_600)
        return max((pause + 59) / 60, 1)
    }
}

/// What may be done in a repository that can be read.
package struct RepositoryRights: Equatable {
    /// Whether the account has the right to push.
    package var mayPush: Bool
    /// The scope for want of which the token may not push; nil if it lacks none.
    package var missingScope: String?
    /// Whether the token may change workflow files.
    package var workflows: WorkflowRight
    /// Whether it is read-only for everybody.
    package var isArchived: Bool
    /// Whether everybody may read it, so that it does not prove a token; false if nobody has asked.
    package var isPublic = false

    package init(
        mayPush: Bool, missingScope: String? = nil, workflows: WorkflowRight = .notSeparate, isArchived: Bool = false
    ) {
        self.mayPush = mayPush
        self.missingScope = missingScope
        self.workflows = workflows
        self.isArchived = isArchived
    }

    /// Whether a push gets through.
    package var canPush: Bool { mayPush && missingScope == nil && !isArchived }
}

/// Whether a token may change workflow files, for which some hosts want a right of its own.
package enum WorkflowRight: Equatable {
    /// It has that right.
    case granted
    /// It lacks that right.
    case missing
    /// The host wants one, and does not say whether the token has it.
    case unknown
    /// Whoever may push may push those as well.
    case notSeparate
}
