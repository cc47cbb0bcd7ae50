internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension Login.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .alreadySignedIn(let account, let host):
            [Message("Already signed in to %1$s as %2$s.", host, account)]
        case .notVerified(let account, let host):
            [
                Message("Signed in to %1$s as %2$s, but could not check the token with %1$s.", host, account),
                Message("To sign in again anyway:"), .login(host, "--force"),
            ]
        case .replaced(let account, let host):
            [Message("Replaced the previous token of %1$s for %2$s.", account, host)]
        case .added(let account, let others, let host):
            [
                Message(
                    "Also signed in: %1$s. To make %2$s the default account:",
                    others.joined(separator: ", "), account),
                .command("git credential-gitspace switch \(word: host) \(word: account)"),
            ]
        case .installed(let app, let owner, let host, let end):
            [Message("Got a token of %1$s for the app %2$s, installed for %3$s.", host, app, owner)]
                + (end.map {
                    [Message("Valid until %1$s, then refreshed automatically.", LocalTime.text($0))]
                }
                    ?? [])
        case .tokenKept(let account, let host, let storage):
            [Message("Signed in to %1$s as %2$s.", host, account), Message.kept(in: storage)]
        case .tokenKeptUnverified(let account, let host, let storage):
            [
                Message("Stored the token of %2$s for %1$s without checking it with the server.", host, account),
                Message.kept(in: storage),
            ]
        }
    }
}

extension RefreshNow.Report: ReportText {
    package var lines: [Message] {
        [
            Message("Refreshed the token of %1$s for %2$s.", username, host),
            expiresAt.map { Message("Valid until %1$s.", LocalTime.text($0)) } ?? Message("It does not expire."),
        ]
    }
}

extension Logout.Report: ReportText {
    package var lines: [Message] {
        let removal = Message.signedOut(of: host, accounts, storage)
        return [removal] + whatBecameOfTokens
            + (page.map {
                [
                    isPersonalToken
                        ? Message("The token stays valid until you revoke it:")
                        : Message("The token stays valid until you revoke the app's access:"),
                    .command("\($0)"),
                ]
            } ?? [])
    }

    private var whatBecameOfTokens: [Message] {
        switch tokens {
        case .untouched: []
        case .revoked: [Message("Revoked the token at %1$s.", host)]
        case .ended: [Message("%1$s revoked the token.", host)]
        case .alreadyRejected: [Message("%1$s already rejects the token, so there was nothing to revoke.", host)]
        case .notRevoked(let failure): [Message("The token was not revoked: %1$s.", failure.what(host))]
        }
    }
}
