internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension Setup.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .configured(let report): report.shortLines
        case .signIn(let report): report.lines
        case .diagnosis(let diagnosis): diagnosis.lines
        case .ready(let host):
            [Message("Ready. Try:"), .command("git clone https://\(host)/OWNER/REPO")]
        case .stopped(let host):
            [
                Message("Stopped. To continue where you left off:"),
                .command("git credential-gitspace setup \(word: host)"),
            ]
        }
    }
}

extension HelperLines.Change {
    /// What `setup` tells of it.
    fileprivate var shortLines: [Message] {
        var lines = [
            isEmpty
                ? Message("git already uses gitspace for %1$s.", hostNames)
                : Message("git now uses gitspace for %1$s (%2$s).", hostNames, file)
        ]
        if !switchedOff.isEmpty {
            lines.append(Message("For these hosts, git no longer uses:"))
            lines += switchedOff
        }
        return lines
    }
}

extension SetupSignIn.Report {
    fileprivate var lines: [Message] {
        switch self {
        case .accepted(let account, let host): [Message("Already signed in to %1$s as %2$s.", host, account)]
        case .unverified(let account, let host):
            [Message("Signed in to %1$s as %2$s, but could not check the token with %1$s.", host, account)]
        case .rejected(let account, let host):
            [Message("%1$s rejected the stored token of %2$s.", host, account)]
        case .belongsToAnother(let account, let owner?):
            [Message("The token stored as %1$s belongs to %2$s.", account, owner)]
        case .belongsToAnother(let account, nil):
            [Message("It is unknown whose token is stored as %1$s.", account)]
        case .foreignOfAnother(let source, let account, let owner):
            [Message("Skipped the token of %2$s from %1$s, because it belongs to %3$s.", source.name, account, owner)]
        case .foreignRejected(let source, let account, let host):
            [Message("Skipped the token of %2$s from %1$s, because %3$s rejected it.", source.name, account, host)]
        case .takenOver(_, let account, let host, let storage):
            [Message("Signed in to %1$s as %2$s.", host, account), Message.kept(in: storage)]
        case .noClientID(let host):
            [
                Message("How do you want to sign in to %1$s?", host),
                .indented(Message("1  Register your own OAuth app in the browser (once, about a minute)")),
                .indented(Message("2  Paste a personal access token")),
            ]
        case .registration(.remembered(let host, _, let clientID)):
            [
                Message("%1$s accepted the client ID %2$s. It is saved in git's configuration.", host, clientID),
                .blank,
            ]
        // Separates the numbered steps from the numbered choice.
        case .registration(.instructions(let registration)):
            [.blank] + Register.Report.instructions(registration).lines
        case .registration(let report): report.lines
        case .tokenPage(let page?): [.blank, Message("Create a token here and copy it:"), .command("\(page)")]
        case .tokenPage(nil): [.blank, Message("Create a token in your settings on the host and copy it.")]
        case .tokenPermissions(let permissions): [Message("It needs these permissions: %1$s", permissions)]
        case .login(let report): report.lines
        }
    }
}

extension ImportSource {
    /// The tool's name.
    var name: DisplayText {
        switch self {
        case .gh: "gh"
        case .gcm: "Git Credential Manager"
        case .store: "git-credential-store"
        }
    }
}
