import TestSupport

extension OAuthClient {
    /// Creates the client of a host whose endpoints are known without discovery.
    init(id: String, secret: Secret? = nil, scopes: String? = nil, of host: SignInHost) throws {
        self.init(
            id: id, authentication: secret.map { .secret($0) } ?? .none, scopes: scopes,
            server: try host.provider.server(nil, over: ScriptedTransport()))
    }
}

/// Returns the error that `body` throws, or `nil` if it throws none.
func failure<Failure: Error>(of body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
        try body()
        return nil
    } catch {
        return error
    }
}
