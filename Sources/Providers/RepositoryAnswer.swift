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
    /// Too many questions; in seconds since 1970, when the next one is welcome.
    case rateLimited(until: Int64?)
    /// Taken down by the host, for legal reasons or others.
    case blocked
    /// Refused for a reason that we do not know.
    case refused(status: Int)
    /// The server has trouble of its own.
    case unavailable(status: Int)
    /// No answer of such a host.
    case malformed
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

    package init(mayPush: Bool, missingScope: String?, workflows: WorkflowRight, isArchived: Bool) {
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
