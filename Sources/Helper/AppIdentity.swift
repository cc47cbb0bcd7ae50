package import CredentialCore
package import Providers

/// With an assertion by which the host believes the app for some minutes.
package struct AppIdentity {
    package let app: any InstallableApp
    private let session: AppSession

    /// - Throws: what is wrong with the settings or the key; nothing has been sent then.
    package init(
        _ context: SignInContext, _ settings: SignInSettings.AppSettings, with dependencies: Dependencies
    ) throws(InstallationFailure) {
        guard let id = settings.id else { throw .incomplete(missing: "githubAppId") }
        guard let key = settings.key else { throw .incomplete(missing: "githubAppKey") }
        guard let app = context.host.provider.app(id) else { throw .unsupported }
        let place = DisplayText(untrusted: key.utf8)
        let signer: any AssertionSigner
        do {
            signer = try dependencies.signingKey(key)
        } catch {
            throw .key(error, place: place)
        }
        guard signer.algorithm == app.algorithm else {
            throw .key(.unsupportedKind(DisplayText(untrusted: signer.algorithm.utf8)), place: place)
        }
        guard let assertion = SignedAssertion(app.claims(now: dependencies.clock.now), by: signer) else {
            throw .key(.signing, place: place)
        }
        self.app = app
        session = AppSession(
            on: context.host, assertion: assertion.text, over: dependencies.transport(context.transport),
            now: { dependencies.clock.now })
    }

    /// Without an owner, the only installation that there is.
    package func installation(for owner: String?) throws(InstallationFailure) -> Installation {
        try app.installation(for: owner, in: session)
    }

    /// For one repository of the installation alone, if any is named, and perhaps to read it only.
    package func token(
        of installation: Installation, for repository: String?, isReadOnly: Bool
    ) throws(InstallationFailure) -> InstallationToken {
        try app.token(of: installation, for: repository, isReadOnly: isReadOnly, in: session)
    }

    /// By the app's key.
    package func verify() throws(InstallationFailure) { try app.verify(in: session) }
}
