internal import CredentialCore
package import OAuth

extension DiscoveryError {
    /// Why it is not known where a host's tokens are issued.
    func words(issuer: DisplayText, host: DisplayText) -> ErrorText {
        switch self {
        case .malformedIssuer(let text):
            ErrorText(
                Message("oauthIssuer must be an https address without ? and #, and this is none: %1$s", text),
                Self.setting("oauthIssuer", "<https address>", host))
        case .transport(let error): error.words(host: issuer)
        case .unavailable(let status):
            ErrorText(
                Message("%1$s returned a server error (status %2$s)", issuer, status),
                [Message("try again in a few minutes")])
        case .absent:
            ErrorText(
                Message("%1$s does not publish where to sign in (OpenID or OAuth discovery)", issuer),
                [Message("if another server issues the tokens, set its address:")]
                    + Self.setting("oauthIssuer", "<https address>", host))
        case .wrongIssuer(let name):
            ErrorText(
                Message("%1$s calls itself by another name: %2$s", issuer, name),
                [Message("if that is its right name, set exactly that:")]
                    + Self.setting("oauthIssuer", "<https address>", host))
        case .insecure(let member):
            ErrorText(Message("%1$s names an address that is not https (%2$s)", issuer, member.name))
        case .foreign(let member, let foreign):
            ErrorText(
                Message("%1$s sends us to another host, %2$s (%3$s)", issuer, foreign, member.name),
                [Message("if you trust that host with your tokens, set its addresses:")]
                    + Self.setting("oauthDeviceAuthURL", "<https address>", host)
                    + Self.setting("oauthTokenURL", "<https address>", host))
        case .missing(.deviceAuthorization):
            ErrorText(Message("%1$s has no device flow, so you cannot sign in there from a terminal", issuer))
        case .missing(let member):
            ErrorText(Message("%1$s does not say where to ask (%2$s)", issuer, member.name))
        }
    }

    private static func setting(_ key: DisplayText, _ value: DisplayText, _ host: DisplayText) -> [Message] {
        [.command("git config --global \(word: "credential.https://\(host).\(key)" as DisplayText) \(value)")]
    }
}

extension DiscoveryError.Member {
    fileprivate var name: DisplayText { DisplayText(own: rawValue) }
}
