package import Commands
internal import CredentialCore

extension Login.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .alreadySignedIn(let account, let host):
            [Message("Already signed in to %1$s as %2$s.", host, account)]
        case .tokenKept(let account, let host, let storage):
            [Message("Signed in to %1$s as %2$s.", host, account), SignInWords.kept(in: storage)]
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
        [Message("Signed out of %1$s: removed %2$s from the keyring.", host, accounts.joined(separator: ", "))]
            + whatBecameOfTokens
            + (page.map {
                [Message("The token stays valid until you withdraw the app's access:"), .command("\($0)")]
            } ?? [])
    }

    private var whatBecameOfTokens: [Message] {
        switch tokens {
        case .untouched: []
        case .revoked: [Message("%1$s has been told to forget the token; it says so by e-mail.", host)]
        case .alreadyRejected: [Message("%1$s had rejected the token already, so there was nothing to revoke.", host)]
        case .notRevoked(let failure): [Message("The token was not revoked: %1$s.", failure.what(host))]
        }
    }
}
