internal import CredentialCore
internal import Helper
internal import Language
package import Messages
internal import Providers

extension Register.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .instructions(let registration):
            [Message("1. Open this page, here or on any other device:"), .command("\(registration.page)")]
                + registration.form.steps
        case .pageOpens: [Message("The page is opening in your browser.")]
        case .cancelled: [Message("Cancelled. Nothing was changed.")]
        case .remembered(let host, let key, let clientID):
            [
                Message("%1$s accepted the client ID. Added to git's configuration:", host),
                .command("\(key) = \(clientID)"), Message("To sign in now:"),
                .command("git credential-gitspace setup \(word: host)"),
            ]
        }
    }
}

extension Registration.Form {
    /// What to do on the page.
    fileprivate var steps: [Message] {
        switch self {
        case .gitHubOAuthApp:
            [
                Message("2. Tick \"Enable Device Flow\". Any name and URLs will do."),
                Message("3. Register the app and copy its client ID. You do not need a client secret."),
            ]
        case .gitLabApplication(let scopes):
            [
                Message("2. Choose any name, and enter the redirect URI http://127.0.0.1 (it is not used)."),
                .indented(Message("Untick \"Confidential\", and tick these scopes:")),
                .command("  \(scopes.map { DisplayText(own: $0) }.joined(separator: ", "))"),
                Message("3. Save the application and copy its Application ID. You do not need the secret."),
            ]
        case .gitHubApp(let installation):
            [
                Message("2. Choose a unique name. Tick \"Enable Device Flow\"."),
                .indented(Message("Keep \"Expire user authorization tokens\" ticked, and the webhook off.")),
                .indented(Message("Repository permissions: Contents and Workflows, both \"Read and write\".")),
                Message("3. Create the app and copy its client ID (not the App ID)."),
                Message("4. Install it on the repositories you want to use:"), .command("\(installation)"),
            ]
        }
    }
}

extension Question {
    /// What is asked.
    package var text: Message {
        switch self {
        case .clientID(let last?): Message("Client ID (Enter tries %1$s again): ", last)
        case .clientID(nil): Message("Client ID: ")
        case .account(let current?): Message("Number or name (Enter keeps %1$s): ", current)
        case .account(nil): Message("Number or name: ")
        case .keyringPassword(isNew: false): Message("Password of the keyring (not shown): ")
        case .keyringPassword(isNew: true): Message("Password for a new keyring (not shown): ")
        case .repeatedPassword: Message("The same password again: ")
        case .token(let host), .pastedToken(let host): Message("Token for %1$s (not shown): ", host)
        case .takeOver(let source, let account, let host):
            Message(
                "%1$s is signed in to %2$s as %3$s. Use this account for git, too? [Y/n] ", source.name, host, account)
        case .way: Message("1 or 2? [1] ")
        }
    }
}
