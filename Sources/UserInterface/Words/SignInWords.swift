internal import CredentialCore
package import Helper
internal import Language
package import System

/// The words of a sign-in, on the terminal and the desktop; the user interface lays the texts out.
package enum SignInWords {
    /// The purpose of the sign-in, which names git only if git asks; `asker` is `nil` if the person asks.
    package static func need(_ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?) -> Message {
        let (provider, host) = (prompt.providerName, prompt.host)
        guard case .git = asker else { return Message("Sign in to %1$s (%2$s).", provider, host) }
        return Message("git needs to sign in to %1$s (%2$s).", provider, host)
    }

    package static func shortNeed(_ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?) -> Message {
        guard case .git = asker else { return Message("Sign in to %1$s", prompt.host) }
        return Message("git: sign in to %1$s", prompt.host)
    }

    /// The lines below address and code.
    ///
    /// Only these have text from a URL or a repository, which cannot imitate address and code then.
    package static func circumstances(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?
    ) -> [Message] {
        let account: Message? =
            switch prompt.askedAccount {
            case .named(let name): Message("Sign in as: %1$s", name)
            case .another: Message("Sign in as: %1$s", Message("another account"))
            case nil: nil
            }
        let who: Message? =
            switch asker {
            case .git(let name), .program(let name): Message(verbatim: DisplayText(trusted: name))
            case .unknown: Message("an unknown program")
            case nil: nil
            }
        let asked = who.map { who in
            Message("Asked by: %1$s", folder.map { Message("%1$s, in %2$s", who, Verbatim(quoted($0))) } ?? who)
        }
        return [account, asked].compactMap(\.self)
    }

    private static let longestFolder = 32

    /// The last part of the path, shortened and in quotes, which its text cannot close.
    private static func quoted(_ folder: String) -> DisplayText {
        // Scalars, since a quote and a combining character after it are one `Character`.
        let name = folder.unicodeScalars.split(separator: "/").last ?? folder.unicodeScalars[...]
        let harmless = name.map { $0 == "\"" ? "'" : String($0) }.joined()
        let text = DisplayText(trusted: harmless).text.unicodeScalars
        // Zero-width scalars count as one column, so stacked marks cannot spill into other lines.
        func columns(_ scalar: Unicode.Scalar) -> Int { max(1, Language.columns(of: String(scalar))) }
        if text.reduce(0, { $0 + columns($1) }) <= longestFolder { return DisplayText(trusted: "\"\(String(text))\"") }
        var left = longestFolder - 3
        let beginning = text.prefix { scalar in
            left -= columns(scalar)
            return left >= 0
        }
        return DisplayText(trusted: "\"\(String(beginning))...\"")
    }

    package static let renewal = Message("The code expired; here is a new one.")

    /// The step before the address, and the step before the code or in its place.
    package static func steps(to approval: ApprovalPage) -> [Message] {
        switch approval {
        case .deviceCode: [Message("1. Open this page, here or on any other device:"), Message("2. Enter this code:")]
        case .browser: [Message("Open this page in a browser on this machine:")]
        case .pastedAddress:
            [
                Message("1. Open this page in any browser, and approve:"),
                Message("2. The browser then shows a page that cannot be opened. Copy its address."),
                Message("3. Paste it here (it is not shown), and press Enter."),
            ]
        }
    }

    /// tmux does not report whether the terminal took the text.
    package static func copied(isCode: Bool, byTmux: Bool) -> Message {
        switch (isCode, byTmux) {
        case (true, false): Message("Code copied to the clipboard.")
        case (true, true): Message("Code copied to tmux, and to your clipboard if your terminal allows it.")
        case (false, false): Message("Address copied to the clipboard.")
        case (false, true): Message("Address copied to tmux, and to your clipboard if your terminal allows it.")
        }
    }
}

extension Notice {
    /// A narrow text has room for hardly more than a name.
    package func text(isNarrow: Bool = false) -> Message {
        switch self {
        case .signedIn(let account, .keyring) where isNarrow: Message("✓ Signed in as %1$s.", account)
        case .signedIn(let account, let storage): .signedIn(as: account, storage)
        case .doesNotExpire(let host):
            Message("%1$s issued a token that does not expire, although an expiring one was requested.", host)
        case .endsForGood(let server, let seconds, nil):
            Message(
                "The token expires in %1$s and cannot be refreshed: %2$s issued no refresh token.",
                Message.duration(seconds), server)
        case .endsForGood(let server, let seconds, let command?):
            Message(
                "The token expires in %1$s and cannot be refreshed: %2$s issued no refresh token. To request one, set this and sign in again: %3$s",
                Message.duration(seconds), server, Verbatim(command))
        case .notShortLived(let host):
            Message(
                "%1$s does not refresh expiring tokens of this app without its client secret, so this sign-in requests one that does not expire.",
                host)
        case .notGranted(let granted, let missing):
            Message("Granted scopes: %1$s. Not granted: %2$s.", granted, missing)
        case .waitingForOtherSignIn(.thisCommand): Message("Waiting for the sign-in in this command...")
        case .waitingForOtherSignIn(.thisTerminal): Message("Waiting for the sign-in in this terminal...")
        case .waitingForOtherSignIn(.anotherTerminal): Message("Waiting for the sign-in in another terminal...")
        case .waitingForOtherSignIn(.elsewhere): Message("Waiting for another sign-in...")
        case .waitingForKeyring(.keePassXC):
            Message("Waiting for you to unlock or allow access in KeePassXC, for up to 2 minutes. Ctrl-C cancels.")
        case .waitingForKeyring(.kwallet):
            Message("Waiting for you to open the wallet in KWallet's window, for up to 2 minutes. Ctrl-C cancels.")
        case .waitingForKeyring: Message("Waiting for the keyring's password prompt...")
        case .keyringNotReady:
            Message(
                "Your keyring was created in this session and is not ready yet. Sign out of the session and in again to use it."
            )
        case .cancelled: Message("Sign-in cancelled.")
        case .notTheAddress: Message("That is not the address of the page after this sign-in. Try again.")
        case .redirectByHTTPS(let origin):
            Message(
                "Your browser came back with https, but gitspace answers only http. In its address bar, change the beginning of the address to %1$s and press Enter.",
                origin)
        case .strangerRefused:
            Message(
                "Refused a connection from another user, or from outside this system. If it was your browser, cancel, and sign in without it: %1$s",
                Verbatim("git config --global credential.gitspaceBrowser none"))
        case .serverIsBusy(let host, let seconds):
            Message("%1$s is busy and asks to wait for %2$s. Ctrl-C cancels.", host, Message.duration(seconds))
        case .signedOut(let host, let accounts, let storage): .signedOut(of: host, accounts, storage)
        case .rejected(let host, let account, .refreshes):
            Message(
                "gitspace: %1$s rejected the token of %2$s. Run the command again to refresh it.", host, who(account))
        case .rejected(let host, let account, .signsIn):
            Message(
                "gitspace: %1$s rejected the token of %2$s, so it was removed. The next command signs in again.", host,
                who(account))
        case .rejected(let host, let account, .endsAsking):
            Message(
                "gitspace: %1$s rejected the token of %2$s that it has just issued, so this command does not sign in again.",
                host, who(account))
        case .rejected(let host, let account, .asks):
            Message(
                "gitspace: %1$s rejected the stored password of %2$s, so it was removed. The next command asks for it.",
                host, who(account))
        case .nothingMatched(let host, nil): Message("Nothing to remove: no credential is stored for %1$s.", host)
        case .nothingMatched(let host, .named(let account)):
            Message("Nothing to remove: no credential of %1$s is stored for %2$s.", account, host)
        case .nothingMatched(let host, .another):
            Message("Nothing to remove: no credential of that name is stored for %1$s.", host)
        case .signInStays(let host, let accounts):
            Message(
                "gitspace: a program asked to forget your sign-in to %1$s (%2$s), which was kept. To sign out: %3$s",
                host, accounts.joined(separator: ", "),
                Verbatim("git credential-gitspace logout \(word: host)\(accounts.count > 1 ? " --all" : "")"))
        case .accountRenamed(let host, let old, let new):
            Message("gitspace: %1$s renamed %2$s to %3$s, and the sign-in is now stored as %3$s.", host, old, new)
        case .signInKept(let host, let account):
            Message(
                "gitspace: kept your sign-in to %1$s as %2$s; to replace it: %3$s", host, account,
                Verbatim("git credential-gitspace login --with-token"))
        case .signInEnded(let host, let code): Message("Your sign-in to %1$s has ended (%2$s).", host, code)
        case .issuedElsewhere(let host, let now):
            Message("Tokens for %1$s now come from %2$s, so you have to sign in again.", host, now)
        case .keptInMemory: Message("gitspace: no keyring here: git credential-cache keeps the password in memory")
        case .shareInstead(let message): message
        }
    }

    private func who(_ account: DisplayText?) -> any MessageArgument { account ?? Message("an unknown account") }
}
