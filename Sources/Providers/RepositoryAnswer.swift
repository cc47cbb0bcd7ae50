package import CredentialCore

/// A host's answer about a repository, in the same terms for each kind of host.
package enum RepositoryAnswer: Equatable {
    case reached(RepositoryRights)
    /// The repository has another name or owner; redirects are not followed.
    case moved
    case tokenRejected
    /// The organisation requires single sign-on; the page, if the host named a trusted one.
    case singleSignOnRequired(page: HTTPSAddress?)
    /// The organisation admits only approved OAuth apps.
    case appRestricted
    /// The app is not installed on the repository, or lacks the permission.
    case appNotInstalled
    case addressNotAllowed
    /// The repository does not exist, or the token may not see it: hosts do not distinguish these.
    case notFound
    /// Not found, or the token's app is not installed there.
    case notFoundByApp
    /// Not found, and the token lacks this scope for private repositories.
    case scopeMissing(String)
    case rateLimited(RateLimit)
    /// The host took the repository down, for legal reasons or others.
    case blocked
    case refused(status: Int)
    case unavailable(status: Int)
    /// The answer is not one of this kind of host.
    case malformed

    package var isReached: Bool { if case .reached = self { true } else { false } }

    /// Interprets a status of a host's API or of git's protocol.
    init(_ response: HTTPResponse) {
        switch response.status {
        // A renamed repository; the token must not be sent to the new address.
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

/// The time until a host accepts requests again.
package struct RateLimit: Equatable {
    /// Seconds after the answer.
    var retryAfter: Int64?
    /// Seconds since 1970.
    var reset: Int64?
}

extension RateLimit {
    /// Reads `Retry-After`, else GitHub's and GitLab's headers.
    init(_ response: HTTPResponse) {
        let reset = response.header("x-ratelimit-reset") ?? response.header("ratelimit-reset")
        self.init(retryAfter: response.retryAfter, reset: reset.flatMap(DecimalNumber.parse))
    }

    /// The minutes to wait; `now` is in seconds since 1970.
    ///
    /// Limits are hourly, so a later reset means that our clock is behind, and counts as an hour. `Retry-After` counts
    /// up to a day.
    package func minutes(at now: Int64) -> Int64 {
        let pause = retryAfter.map { min($0, 86_400) } ?? min(reset.map { $0 - min(now, $0) } ?? 3_600, 3_600)
        return max((pause + 59) / 60, 1)
    }
}

/// The rights in a repository that can be read.
package struct RepositoryRights: Equatable {
    package var mayPush: Bool
    /// The scope that the token lacks for a push, or `nil` if it lacks none.
    package var missingScope: String?
    package var workflows = WorkflowRight.notSeparate
    /// Whether the repository is read-only for everybody.
    package var isArchived = false
    /// Whether the host refuses pushes by git for another reason than the account's role and the token's scopes.
    package var refusesPushes = false
    /// Whether everybody can read the repository, so that reading it proves no token; `nil` if that is not known.
    package var isPublic: Bool?

    package static let readOnly = RepositoryRights(mayPush: false)
    package var canPush: Bool { mayPush && missingScope == nil && !isArchived && !refusesPushes }
}

/// Whether a token may change workflow files; some hosts require a separate right.
package enum WorkflowRight: Equatable {
    case granted
    case missing
    /// The host does not show whether the token has the required right.
    case unknown
    /// The right to push includes workflow files.
    case notSeparate
}
