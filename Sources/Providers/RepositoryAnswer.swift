package import CredentialCore

/// A host's answer about a repository to the holder of a token, in the same terms for each kind of host.
package enum RepositoryAnswer: Equatable {
    /// The repository exists and can be read.
    case reached(RepositoryRights)
    /// The repository has another name or owner, unknown since redirects are not followed.
    case moved
    /// The token is not valid.
    case tokenRejected
    /// The organisation requires single sign-on, on that page if a trusted one was named.
    case singleSignOnRequired(page: HTTPSAddress?)
    /// The organisation admits only approved OAuth apps.
    case appRestricted
    /// The app is not installed on the repository, or lacks the permission.
    case appNotInstalled
    /// The organisation admits only certain network addresses.
    case addressNotAllowed
    /// The repository does not exist, or the token may not see it: hosts do not distinguish these.
    case notFound
    /// Not found, or the token's app is not installed there.
    case notFoundByApp
    /// Not found, and the token lacks this scope for private repositories.
    case scopeMissing(String)
    /// There were too many requests.
    case rateLimited(RateLimit)
    /// The host took the repository down, for legal reasons or others.
    case blocked
    /// The host refused for an unknown reason.
    case refused(status: Int)
    /// The server has a fault.
    case unavailable(status: Int)
    /// The answer is none of such a host.
    case malformed

    package var isReached: Bool { if case .reached = self { true } else { false } }

    /// The meaning of a status of a host's API or of git's own protocol.
    init(_ response: HTTPResponse) {
        switch response.status {
        // A renamed repository; not followed, since the token would be sent along.
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

/// The time when a host that had too many requests accepts the next one.
package struct RateLimit: Equatable {
    /// Seconds from its answer on.
    private let retryAfter: Int64?
    /// Seconds since 1970.
    private let reset: Int64?

    package init(retryAfter: Int64? = nil, reset: Int64? = nil) {
        self.retryAfter = retryAfter
        self.reset = reset
    }

    /// Reads `Retry-After`, else GitHub's and GitLab's headers.
    init(_ response: HTTPResponse) {
        let reset = response.header("x-ratelimit-reset") ?? response.header("ratelimit-reset")
        self.init(retryAfter: response.retryAfter, reset: reset.flatMap(DecimalNumber.parse))
    }

    /// The minutes to wait.
    ///
    /// Limits are hourly, so a longer wait is our clock's fault; a pause counts as it is, up to a day. `now` is in
    /// seconds since 1970.
    package func minutes(at now: Int64) -> Int64 {
        let pause = retryAfter.map { min($0, 86_400) } ?? min(reset.map { $0 - min(now, $0) } ?? 3_600, 3_600)
        return max((pause + 59) / 60, 1)
    }
}

/// The rights in a repository that can be read.
package struct RepositoryRights: Equatable {
    /// Whether the account may push.
    package var mayPush: Bool
    /// The scope that the token lacks for a push, or `nil` if it lacks none.
    package var missingScope: String?
    /// Whether the token may change workflow files.
    package var workflows: WorkflowRight
    /// Whether the repository is read-only for everybody.
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

    /// Whether a push would be accepted.
    package var canPush: Bool { mayPush && missingScope == nil && !isArchived }
}

/// Whether a token may change workflow files, for which some hosts require a separate right.
package enum WorkflowRight: Equatable {
    case granted
    case missing
    /// The host requires a right, and does not show whether the token has it.
    case unknown
    /// The right to push includes workflow files.
    case notSeparate
}
