internal import CredentialCore
internal import Providers

/// Scopes that were asked for, against those that were granted.
package enum Scopes {
    /// Separated by commas; nil if nothing is missing.
    ///
    /// The granted ones are separated by spaces. GitHub Apps have no scopes, and get an empty list. Some scopes include
    /// others.
    package static func missing(
        in granted: String, of asked: String, including included: [String: [String]]
    ) -> String? {
        let names = granted.split(separator: " ").map(String.init)
        guard !names.isEmpty else { return nil }
        let all = Set(names + names.flatMap { included[$0] ?? [] })
        // `offline_access` requests a refresh token, which is there or not; it is not a permission.
        let missing = asked.split(separator: " ").filter { !all.contains(String($0)) && $0 != "offline_access" }
        return missing.isEmpty ? nil : missing.joined(separator: ", ")
    }
}

/// Tokens that end, of apps whose tokens otherwise do not: they are asked for by a scope, and whether they come is the
/// server's decision.
struct ShortLivedTokens {
    private let context: SignInContext
    private let dependencies: Dependencies

    init(_ context: SignInContext, with dependencies: Dependencies) {
        self.context = context
        self.dependencies = dependencies
    }

    /// The client, asking for such a token if the person wants one and the last one could be refreshed.
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

    /// Whether the server has given a token that does not end to a client that asked for one that does.
    func isMissing(in token: TokenResponse, to client: OAuthClient) -> Bool {
        guard token.expiresIn == nil, let scope = context.host.provider.shortLivedScope(of: client.id) else {
            return false
        }
        return client.scopes.split(separator: " ").contains { $0 == scope }
    }

    /// What a refused refresh has left behind tells.
    private func wasInVain(_ clientID: String) -> Bool {
        let stored = (try? Lookup(with: dependencies).all(context.query(path: nil))) ?? []
        return stored.contains { $0.credential.grant?.clientID == clientID && $0.credential.grant?.exhaustedAt != nil }
    }
}

extension SignInContext {
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
