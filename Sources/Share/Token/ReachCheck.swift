internal import CredentialCore
internal import Helper
internal import Providers

/// Whether the token that a target is given is limited as it was asked to be: that a refresh keeps the limit is documented
/// nowhere, and so each token is tried, once.
struct ReachCheck {
    private let limit: RepositoryLimit
    private let clock: any Clock
    /// Those that know the person's own credentials, and not the target's.
    private let unlimited: () -> Dependencies
    /// Those that have told nothing.
    private var trials = OncePerMinute()
    /// The digest of the token that is known to be limited.
    private var tried: [UInt8]?

    init(of limit: RepositoryLimit, clock: any Clock, unlimited: @escaping () -> Dependencies) {
        self.limit = limit
        self.clock = clock
        self.unlimited = unlimited
    }

    mutating func check(_ credential: StoredCredential, _ lookup: ShareLookup) throws(ShareRefusal) {
        let digest = StoredCredential.digest(of: credential.password)
        guard tried != digest else { return }
        let now = clock.uptimeMilliseconds
        let host = lookup.host
        guard trials.allows(host, at: now), let signIn = try? lookup.signIn(of: credential) else { throw .untried }
        let token = LimitedToken(limit, signIn, with: unlimited())
        switch token.reach(of: credential) {
        case .only: tried = digest
        case .more, .writes:
            _ = token.end()
            throw .reachesMore
        case .nothing:
            trials.note(host, at: now)
            throw .reachesNothing
        case .unknown:
            trials.note(host, at: now)
            throw .untried
        }
    }
}
