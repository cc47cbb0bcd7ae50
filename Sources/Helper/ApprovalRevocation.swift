internal import CredentialCore
internal import Providers

/// The revocation of a wrong account's token, which is not stored here and must not stay valid elsewhere.
///
/// Only this revocation happens without the person's request. Its result changes nothing else.
struct ApprovalRevocation {
    let context: SignInContext
    let dependencies: Dependencies

    /// The total time, in milliseconds.
    private static let longest: Int64 = 5_000

    /// Revokes the token, unless its owner's account is stored too: a server may end all tokens of an app and account.
    func run(_ token: TokenResponse, of holder: Holder, at client: OAuthClient) {
        // A refresh token of an OpenID server stands for the person's session, and perhaps for their other ones.
        let refreshToken = context.host.provider.facts.issuesElsewhere ? nil : token.refreshToken
        let grant = RevocableGrant(accessToken: token.accessToken, refreshToken: refreshToken, client: client)
        guard !mayBeStored(holder) else { return }
        let transport = BoundTransport(
            dependencies.transport(context.transport), until: dependencies.clock.uptimeMilliseconds + Self.longest)
        let outcome = context.host.provider.revoke([grant], over: transport)
        dependencies.trace { "the token of another account was dropped; its revocation: \(outcome)" }
    }

    /// Whether the owner's account may be stored; unlocks nothing.
    private func mayBeStored(_ holder: Holder) -> Bool {
        let anyUsername = context.host.provider.facts.anyUsername
        guard let names = holder.names else { return isStored(nil) { _ in true } }
        // git's cache finds an account by its name alone.
        return ([nil] + names.map { Array($0.utf8) }).contains { user in
            isStored(user) { holder.isOwner($0) || ASCII.equalsIgnoringCase($0, anyUsername) }
        }
    }

    private func isStored(_ user: [UInt8]?, where isIt: ([UInt8]) -> Bool) -> Bool {
        let query = context.credentialContext.everything(user: user)
        let lookup = Lookup(with: dependencies)
        guard let stored = try? lookup.readable(query, unless: { _, _ in true }) else { return true }
        return stored.found.contains { isIt($0.credential.username) }
            || stored.locked.contains { isIt($0.attributes.user ?? []) }
    }
}

private final class BoundTransport: Transport {
    private let transport: any Transport
    private let deadline: Int64

    init(_ transport: any Transport, until deadline: Int64) {
        self.transport = transport
        self.deadline = deadline
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        var request = request
        request.deadline = deadline
        return try transport.send(request)
    }
}
