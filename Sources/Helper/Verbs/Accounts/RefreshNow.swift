internal import Configuration
package import CredentialProtocol
internal import Hosts
internal import Keyring
internal import OAuth

/// The verb `refresh`: renews a token now, although it may still be good.
package struct RefreshNow {
    private let world: World

    /// A refresh.
    package init(in world: World) { self.world = world }

    /// What was renewed.
    package struct Report {
        /// The host as it is said to people.
        package let host: String
        /// The account.
        package let username: String
        /// When the new token ends, in seconds since 1970; nil for never.
        package let expiresAt: Int64?
    }

    /// Renews the token of a request's host and account.
    ///
    /// - Returns: what was renewed; nil if nothing was, after a complaint.
    package func run(_ request: Request) -> Report? {
        do throws(Stop) {
            return try report(request)
        } catch {
            if let complaint = error.complaint { world.complain(complaint) }
            return nil
        }
    }

    private func report(_ request: Request) throws(Stop) -> Report {
        let place: Place
        do {
            place = try Place(of: request, in: world)
        } catch {
            throw .failed(Complaint(error))
        }
        let configuration = place.configuration(in: world)
        let settings = SignInSettings(configuration, host: place.host, environment: world.environment)
        guard let host = place.knownHost(settings) else {
            throw .failed(.notForSignIn(host: ServerText.shown(place.host.text)))
        }
        let account = KnownAccount(host: host, asked: request.username, settings: settings)
        let found = try find(account)
        switch try RefreshStep(account, configuration, in: world, isForced: true).run(found) {
        case .usable(let credential):
            return Report(
                host: host.displayName, username: ServerText.shown(credential.username),
                expiresAt: credential.passwordExpiryUTC)
        case .refused:
            throw .failed(.refreshRefused(provider: host.provider.displayName, host: host.displayName))
        case .unrenewable: throw .failed(.notRenewable(host: host.displayName))
        }
    }

    private func find(_ account: KnownAccount) throws(Stop) -> Found {
        let found: Found?
        do {
            found = try Lookup(in: world).all(account.query(path: nil)).first
        } catch {
            throw .failed(.keyring(error))
        }
        guard let found else { throw .failed(.notSignedIn(host: account.host.displayName)) }
        guard found.credential.oauthRefreshToken != nil else {
            throw .failed(.notRenewable(host: account.host.displayName))
        }
        return found
    }
}
