internal import Configuration
package import CredentialProtocol
internal import Hosts
internal import Keyring
internal import OAuth

/// The verb `login`: signs in now, because a person says so.
package struct Login {
    private let world: World
    private let isForced: Bool

    /// A sign-in.
    ///
    /// - Parameters:
    ///   - isForced: whether to sign in although a good token is there.
    ///   - world: everything outside.
    package init(isForced: Bool, in world: World) {
        self.isForced = isForced
        self.world = world
    }

    /// How a verb ended; the raw value is the exit status.
    package enum End: Int32 {
        /// Done.
        case done = 0
        /// Failed, and said why.
        case failed = 1
        /// Ctrl-C.
        case cancelled = 130
    }

    /// Signs in to the host of a request, as the account that it names if it names one.
    package func run(_ request: Request) -> End {
        let place: Place
        do {
            place = try Place(of: request, in: world)
        } catch {
            world.complain(Complaint(error))
            return .failed
        }
        do throws(Stop) {
            try signIn(place, request)
            return .done
        } catch .known, .abandoned {
            return .cancelled
        } catch {
            if let complaint = error.complaint { world.complain(complaint) }
            return .failed
        }
    }

    private func signIn(_ place: Place, _ request: Request) throws(Stop) {
        let configuration = place.configuration(in: world)
        let settings = SignInSettings(configuration, host: place.host, environment: world.environment)
        guard let host = place.knownHost(settings) else {
            throw .failed(.notForSignIn(host: ServerText.shown(place.host.text)))
        }
        let account = KnownAccount(host: host, asked: request.username, settings: settings)
        if !isForced, let credential = try good(account, configuration) {
            let name = String(decoding: credential.username, as: UTF8.self)
            return world.person.say(.alreadySignedIn(account: name, host: host.displayName))
        }
        _ = try SignInStep(account, configuration, in: world, isExplicit: true).run(evenIfSignedIn: isForced)
    }

    private func good(_ account: KnownAccount, _ configuration: Configuration) throws(Stop) -> StoredCredential? {
        let lookup = Lookup(in: world)
        let found: Found?
        do {
            found = try lookup.best(account.query(path: nil), margin: lookup.margin)
        } catch {
            throw .failed(.keyring(error))
        }
        guard let found else { return nil }
        if lookup.isFresh(found) { return found.credential }
        guard case .usable(let credential) = try RefreshStep(account, configuration, in: world).run(found) else {
            return nil
        }
        return credential
    }
}
