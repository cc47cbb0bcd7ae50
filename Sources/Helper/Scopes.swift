internal import CredentialCore
internal import Providers

/// Scopes that were asked for, against those that were granted.
package enum Scopes {
    /// Returns the missing scopes, separated by commas, or `nil` if none is missing.
    ///
    /// The granted ones are separated by spaces. GitHub Apps have no scopes, and get an empty list. Some scopes include
    /// others.
    package static func missing(
        in granted: String, of asked: String, including included: [String: [String]]
    ) -> String? {
        let names = granted.split(separator: " ").map(String.init)
        guard !names.isEmpty else { return nil }
        let all = Set(names + names.flatMap { included[$0] ?? [] })
        // `offline_access` requests a refresh token; it is not a permission.
        let missing = asked.split(separator: " ").filter { !all.contains(String($0)) && $0 != "offline_access" }
        return missing.isEmpty ? nil : missing.joined(separator: ", ")
    }
}

extension SignInContext {
    /// The client, asking for a token that ends if the person wants one and the last one could be refreshed: the tokens
    /// of some apps do not end otherwise, and whether they do is the server's decision.
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

    /// What a refused refresh has left behind tells.
    private func wasInVain(_ clientID: String, with dependencies: Dependencies) -> Bool {
        let stored = (try? stored(with: dependencies)) ?? []
        return stored.contains { $0.credential.grant?.clientID == clientID && $0.credential.grant?.exhaustedAt != nil }
    }

    /// `gitspaceShortLived`.
    var isShortLived: Bool { configuration.isOn(.gitspaceShortLived) }

    /// Whether the server refuses to refresh such a token because the client sent no secret.
    func wantsSecret(_ code: OAuthErrorCode, of client: OAuthClient?) -> Bool {
        guard let client, !client.authentication.isPresent,
            [.invalidClient, .incorrectClientCredentials].contains(code)
        else { return false }
        return host.provider.shortLivedScope(of: client.id) != nil
    }
}
