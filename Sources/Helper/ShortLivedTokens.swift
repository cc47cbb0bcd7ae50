internal import CredentialCore
internal import Providers

/// Expiring tokens of apps whose tokens otherwise do not expire; a scope requests them, and the server decides.
struct ShortLivedTokens {
    private let context: SignInContext
    private let dependencies: Dependencies

    init(_ context: SignInContext, with dependencies: Dependencies) {
        self.context = context
        self.dependencies = dependencies
    }

    /// Returns the client that requests such a token if the person wants one and the last one could be refreshed.
    func client(_ client: OAuthClient) -> OAuthClient {
        guard let scope = context.host.provider.shortLivedScope(of: client.id) else { return client }
        var scopes = client.scopes.split(separator: " ").map(String.init).filter { $0 != scope }
        let isWanted = context.isShortLived || scopes.joined(separator: " ") != client.scopes
        if wasInVain(client.id) {
            dependencies.ui.say(.notShortLived(host: context.host.displayName))
        } else if isWanted {
            scopes.append(scope)
        }
        var client = client
        client.scopes = scopes.joined(separator: " ")
        return client
    }

    /// Returns whether the server has issued a token without an expiry although one with an expiry was requested.
    func isMissing(in token: TokenResponse, to client: OAuthClient) -> Bool {
        guard token.expiresIn == nil, let scope = context.host.provider.shortLivedScope(of: client.id) else {
            return false
        }
        return client.scopes.split(separator: " ").contains { $0 == scope }
    }

    /// Returns whether the last request was in vain, by the marks of a refused refresh.
    private func wasInVain(_ clientID: String) -> Bool {
        let stored = (try? Lookup(with: dependencies).all(context.query(path: nil))) ?? []
        return stored.contains { $0.credential.grant?.clientID == clientID && $0.credential.grant?.exhaustedAt != nil }
    }
}

extension SignInContext {
    var isShortLived: Bool { configuration.isOn(.gitspaceShortLived) }

    /// Returns whether the server refuses to refresh such a token because the client sent no secret.
    func wantsSecret(_ code: OAuthErrorCode, of client: OAuthClient?) -> Bool {
        guard let client, !client.authentication.isPresent,
            [.invalidClient, .incorrectClientCredentials].contains(code)
        else { return false }
        return host.provider.shortLivedScope(of: client.id) != nil
    }
}
