import CredentialCore
import Providers

extension OAuthClient {
    /// The client of a host whose endpoints are fixed.
    init(id: String, secret: Secret? = nil, scopes: String? = nil, of host: SignInHost) {
        self.init(
            id: id, authentication: secret.map { .secretInBody($0) } ?? .none, scopes: scopes, of: host,
            at: host.providerID == .gitlab ? GitLab().endpoints(of: host) : GitHub().endpoints(of: host))
    }
}
