internal import CredentialCore
internal import OAuth

extension DiscoveryError {
    /// Why it is not known where a host's tokens are issued.
    func words(issuer: DisplayText, host: DisplayText) -> ErrorText {
        switch self {
        case .malformedIssuer(let text):
            ErrorText(
                Message("oauthIssuer must be an https URL without a query or fragment: %1$s", text),
                Self.setting("oauthIssuer", "<https URL>", host))
        case .transport(let error): error.words(host: issuer)
        case .unavailable(let status):
            ErrorText(
                Message("%1$s returned a server error (status %2$s)", issuer, status),
                [Message("try again in a few minutes")])
        case .absent:
            ErrorText(
                Message("%1$s does not publish its sign-in endpoints (OpenID or OAuth discovery)", issuer),
                [Message("if another server issues the tokens, set its URL:")]
                    + Self.setting("oauthIssuer", "<https URL>", host))
        case .wrongIssuer(let name):
            ErrorText(
                Message("%1$s identifies itself as another issuer: %2$s", issuer, name),
                [Message("if that is the right issuer, set exactly that URL:")]
                    + Self.setting("oauthIssuer", "<https URL>", host))
        case .insecure(let member):
            ErrorText(Message("%1$s publishes an endpoint that is not an https URL (%2$s)", issuer, member.name))
        case .foreign(let member, let foreign):
            ErrorText(
                Message("%1$s publishes an endpoint on another host, %2$s (%3$s)", issuer, foreign, member.name),
                [Message("if you trust that host with your tokens, set its endpoint:")]
                    + Self.setting(
                        member == .token ? "oauthTokenURL" : "oauthDeviceAuthURL", "<https URL>", host))
        case .missing(.deviceAuthorization):
            ErrorText(Message("%1$s does not offer the device flow, so gitspace cannot sign in there", issuer))
        case .missing(let member):
            ErrorText(Message("%1$s does not publish this endpoint: %2$s", issuer, member.name))
        }
    }

    private static func setting(_ key: DisplayText, _ value: DisplayText, _ host: DisplayText) -> [Message] {
        [.command("git config --global \(word: "credential.https://\(host).\(key)" as DisplayText) \(value)")]
    }
}

extension DiscoveryError.Member {
    fileprivate var name: DisplayText { DisplayText(own: rawValue) }
}
