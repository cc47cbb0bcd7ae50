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
        for owner: String?, on host: SignInHost, assertion: Secret, over transport: any Transport
    ) throws(InstallationError) -> Installation

    /// Gets a token of an installation, perhaps for one repository of it alone.
    func token(
        of installation: Installation, for repository: String?, on host: SignInHost, assertion: Secret,
        over transport: any Transport
    ) throws(InstallationError) -> InstallationToken

    /// Makes sure that the host knows the app by its key.
    func verify(on host: SignInHost, assertion: Secret, over transport: any Transport) throws(InstallationError)
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

/// Why an app gets no token.
package enum InstallationError: Error, Equatable {
    /// No answer came.
    case transport(TransportError)
    /// The host has trouble, or wants fewer requests; the status.
    case unavailable(status: Int)
    /// The host does not believe the assertion; its clock, in seconds since 1970, if it told it.
    case rejected(date: Int64?)
    /// The app is not installed for that owner.
    case notInstalled
    /// The app is not installed at all.
    case notInstalledAnywhere
    /// Nothing says which of several installations is meant; whose they are.
    case several([String])
    /// The owner has suspended the installation.
    case suspended
    /// The installation does not include the repository.
    case repositoryNotIncluded
    /// The host forbids it for a reason that we do not know; the status.
    case forbidden(status: Int)
    /// Not what the host's documentation says; the status.
    case malformed(status: Int)
}
