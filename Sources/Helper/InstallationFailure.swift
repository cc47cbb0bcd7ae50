package import CredentialCore
package import Providers

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
    /// The host forbids it; the status.
    case forbidden(status: Int)
    /// Two tokens in a row were rejected by git's server.
    case exhausted(owner: DisplayText)
    /// No answer came.
    case transport(TransportError)
    /// Server error.
    case unavailable(status: Int)
    /// An unexpected response; its status.
    case malformed(status: Int)
}

extension InstallationFailure {
    /// Seconds by which clocks may differ before an assertion is refused for its times.
    private static var tolerance: Int64 { 60 }

    /// What a host's answer means for a request.
    init(
        _ error: InstallationError, _ app: any InstallableApp, _ place: InstallationPlace?, _ context: SignInContext,
        now: Int64
    ) {
        let owner = DisplayText((place?.owner ?? "").utf8)
        let page = context.host.provider.page(.installations, on: context.host)
        switch error {
        case .transport(let error): self = .transport(error)
        case .unavailable(let status): self = .unavailable(status: status)
        case .rejected(let date):
            let ahead = date.map { now - $0 } ?? 0
            self = abs(ahead) > Self.tolerance ? .clock(ahead: ahead) : .rejected(id: DisplayText(app.id.utf8))
        case .notInstalled: self = .notInstalled(owner: owner, page: page)
        case .notInstalledAnywhere: self = .notInstalledAnywhere(page: page)
        case .several(let owners): self = .several(owners.map { DisplayText($0.utf8) })
        case .suspended: self = .suspended(owner: owner)
        case .repositoryNotIncluded:
            self = .repositoryNotIncluded("\(owner)/\(DisplayText((place?.repository ?? "").utf8))", page: page)
        case .forbidden(let status): self = .forbidden(status: status)
        case .malformed(let status): self = .malformed(status: status)
        }
    }
}
