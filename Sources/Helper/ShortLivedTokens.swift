internal import CredentialCore
internal import Providers

extension SignInContext {
    /// Returns the client with or without the scope for a token that expires, as the person wants.
    ///
    /// The scope is left out if the last such token could not be refreshed.
    func asking(_ client: OAuthClient, with dependencies: Dependencies) -> OAuthClient {
        guard let scope = host.provider.shortLivedScope(of: client.id) else { return client }
        var scopes = client.scopes.split(separator: " ").map(String.init).filter { $0 != scope }
        let isWanted = isShortLived || scopes.joined(separator: " ") != client.scopes
        if wasInVain(client.id, with: dependencies) {
            dependencies.ui.say(.notShortLived(host: host.displayName))
        } else if isWanted {
            scopes.append(scope)
        }
        var client = client
        client.scopes = scopes.joined(separator: " ")
        return client
    }

    func asksForExpiry(_ client: OAuthClient) -> Bool {
        guard let scope = host.provider.shortLivedScope(of: client.id) else { return false }
        return client.scopes.split(separator: " ").contains { $0 == scope }
    }

    /// Whether such a token could not be refreshed: a refused refresh leaves `exhaustedAt`.
    private func wasInVain(_ clientID: String, with dependencies: Dependencies) -> Bool {
        let stored = (try? stored(with: dependencies)) ?? []
        return stored.contains { $0.credential.grant?.clientID == clientID && $0.credential.grant?.exhaustedAt != nil }
    }

    var isShortLived: Bool { configuration.isOn(.gitspaceShortLived) }

    /// Whether the server refuses to refresh such a token because the client sent no secret.
    func wantsSecret(_ code: OAuthErrorCode, of client: OAuthClient?) -> Bool {
        guard let client, !client.authentication.isPresent,
            [.invalidClient, .incorrectClientCredentials].contains(code)
        else { return false }
        return host.provider.shortLivedScope(of: client.id) != nil
    }
}
