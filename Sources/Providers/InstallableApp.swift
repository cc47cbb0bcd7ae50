package import CredentialCore

/// An app that acts in its own name where it is installed: no person signs in.
///
/// Each request carries an assertion that the app has signed, and goes to the host's API alone.
package protocol InstallableApp: Sendable {
    /// The ID that the host knows it by.
    var id: String { get }

    /// The `alg` of its key.
    var algorithm: String { get }

    /// What the app says of itself to be believed, for a few minutes from `now` (seconds since 1970).
    func claims(now: Int64) -> AssertionClaims

    /// Whose repository a path names, and which one.
    ///
    /// - Parameter path: as git sends it: `acme/private.git`.
    /// - Returns: nil if it names no owner.
    func place(of path: [UInt8]) -> InstallationPlace?

    /// Finds the installation for an owner; without one, the only installation that there is.
    func installation(
        for owner: String?, in session: AppSession
    ) throws(InstallationFailure) -> Installation

    /// Gets a token of an installation, perhaps for one repository of it alone, and perhaps to read it only.
    func token(
        of installation: Installation, for repository: String?, isReadOnly: Bool, in session: AppSession
    ) throws(InstallationFailure) -> InstallationToken

    /// Makes sure that the host knows the app by its key.
    func verify(in session: AppSession) throws(InstallationFailure)
}

/// What an app's requests to a host have in common: an assertion by which the host believes it for some minutes.
package struct AppSession {
    let host: SignInHost
    let assertion: Secret
    let transport: any Transport
    /// Seconds since 1970.
    let now: () -> Int64

    package init(on host: SignInHost, assertion: Secret, over transport: any Transport, now: @escaping () -> Int64) {
        self.host = host
        self.assertion = assertion
        self.transport = transport
        self.now = now
    }
}

/// What a path on a host names.
package struct InstallationPlace: Equatable {
    /// The owner: a person or an organisation.
    package let owner: String
    /// The repository's name, without `.git`; nil if the path ends with the owner.
    package let repository: String?
}

/// An app's installation for one owner.
package struct Installation: Equatable {
    /// The host's number for it.
    package let id: Int64
    /// The owner's name.
    package let owner: String
    /// Whether the owner has suspended it.
    package let isSuspended: Bool
    /// What the app may do there: `contents` is `read` or `write`.
    package let permissions: [String: String]
}

/// A token of an installation.
package struct InstallationToken {
    /// The token.
    package let token: Secret
    /// For how many seconds it is good.
    package let expiresIn: Int64
    /// What it may do, as `contents:write` separated by spaces; nil if the host did not say.
    package let permissions: String?
}

/// Why an app gets no token for a request.
package enum InstallationFailure: Error, Equatable {
    /// One of the settings is missing; which.
    case incomplete(missing: DisplayText)
    /// Apps do not act in their own name on such a host.
    case unsupported
    /// The private key cannot be used; where it is configured to be.
    case key(SigningKeyError, place: DisplayText)
    /// The host accepts neither the app's ID nor its key.
    case rejected(id: DisplayText)
    /// This machine's clock is so many seconds ahead of the host's, or behind.
    case clock(ahead: Int64)
    /// The app is not installed for this owner.
    case notInstalled(owner: DisplayText, page: HTTPSAddress?)
    /// The app is not installed at all.
    case notInstalledAnywhere(page: HTTPSAddress?)
    /// The path names no owner.
    case noOwner
    /// Nothing says which of several installations is meant; whose they are.
    case several([DisplayText])
    /// A token for one repository is wanted, and nothing says which.
    case repositoryUnknown
    /// The owner has suspended the installation.
    case suspended(owner: DisplayText)
    /// The installation does not include the repository.
    case repositoryNotIncluded(DisplayText, page: HTTPSAddress?)
    /// The host forbids it for a reason that we do not know; the status.
    case forbidden(status: Int)
    /// Two tokens in a row were rejected by git's server.
    case exhausted(owner: DisplayText)
    /// No answer came.
    case transport(TransportError)
    /// The app has used up its requests; how long, in minutes.
    case rateLimited(minutes: Int64)
    /// The host has trouble; the status.
    case unavailable(status: Int)
    /// Not what the host's documentation says; the status.
    case malformed(status: Int)
}
