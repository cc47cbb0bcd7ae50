internal import CredentialCore
internal import Helper
internal import Language
package import Messages

/// What `-h` says of a verb.
package struct VerbHelp: Sendable {
    /// What it does, in a line.
    package let abstract: Message
    /// What else there is to know, a sentence each.
    package let discussion: [Message]

    init(_ abstract: Message, _ discussion: Message...) {
        self.abstract = abstract
        self.discussion = discussion
    }
}

/// The texts of `-h`, by verb.
package enum HelpWords {
    package static let json = Message("Print a JSON array for programs.")

    package enum Setup {
        package static let verb = VerbHelp(
            Message("Set up git and sign in: the one command after installation."),
            Message("Sets up git, then signs in."),
            Message(
                "Uses your sign-in from gh or Git Credential Manager if there is one, otherwise the browser or a token that you paste."
            ),
            Message("Completed steps are skipped, so you can stop and run it again."))
        package static let host = Message(
            "The host to sign in to. Default: the host of this repository, or github.com.")
        package static let yes = Message(
            "Ask no questions. Sign in only if a terminal or desktop is available.")
        package static let withToken = Message(
            "Sign in with a personal access token, entered at a prompt or read from standard input.")
    }

    package enum Login {
        package static let verb = VerbHelp(
            Message("Sign in now."),
            Message("To set up git as well, or for your first sign-in, run \"%1$s\".", setup))
        package static let host = Setup.host
        package static let username = Message("The account to sign in as.")
        package static let force = Message("Sign in even if a valid token is stored.")
        package static let withToken = Message(
            "Sign in with a personal access token, entered at a prompt or read from standard input.")
    }

    package enum Logout {
        package static let verb = VerbHelp(
            Message("Remove stored credentials."),
            Message("The token stays valid until you revoke it or the app's access."))
        package static let host = Message(
            "The host to sign out of. Default: the host of this repository, or github.com.")
        package static let username = Message("The account to remove.")
        package static let all = Message("Remove all accounts of the host.")
        package static let revoke = Message(
            "Revoke the token first, and keep it if that fails.")
        package static let force = Message("With --revoke, remove the token even if it could not be revoked.")
    }

    package enum Refresh {
        package static let verb = VerbHelp(Message("Refresh a token now."))
        package static let host = Message(
            "The host whose token to refresh. Default: the host of this repository, or github.com.")
        package static let username = Message("The account whose token to refresh.")
    }

    package enum Status {
        package static let verb = VerbHelp(
            Message("Show your accounts and the state of their tokens."),
            Message("Exits with 1 if no account is signed in. Tokens are never shown."))
        package static let host = Message("The host to show. Default: all hosts.")
        package static let offline = Message("Do not check the tokens with the servers.")
    }

    package enum Check {
        package static let verb = VerbHelp(
            Message("Check whether you can access a repository and, if not, why."),
            Message("Accepts an address from a browser or \"git remote -v\", or OWNER/NAME for github.com."),
            Message("Exits with 1 if you cannot read the repository. Never starts a sign-in."))
        package static let url = Message("The repository. Default: the remote of the current repository.")
        package static let json = Message("Print a JSON object for programs.")
    }

    package enum Doctor {
        package static let verb = VerbHelp(
            Message("Find problems with your setup."),
            Message(
                "Checks the keyring, git and its helpers, the client ID, the network, the clock and your accounts."),
            Message("Each problem is followed by the command that fixes it."),
            Message("Changes nothing, except that it writes a test item to the keyring and deletes it again."),
            Message("Exits with 1 if it finds a problem."))
    }

    package enum Import {
        package static let verb = VerbHelp(
            Message("Import credentials from other tools."),
            Message("Copies passwords and tokens into the keyring. The originals are not removed."))
        package static let from = Message(
            "Import only from gh, gcm (Git Credential Manager) or store (git-credential-store).")
        package static let dryRun = Message("Only show what would be imported.")
    }

    package enum Register {
        package static let verb = VerbHelp(
            Message("Register your own OAuth app."),
            Message("Shows the page where you register an app, then tests its client ID."),
            Message("A client ID that works is saved in git's configuration."))
        package static let host = Message("The host on which to register the app.")
        package static let gitHubApp = Message("Register a GitHub App instead of an OAuth App.")
        package static let clientID = Message("The client ID of an app that you have already registered.")
    }

    private static let setup = Verbatim("git credential-gitspace setup")
}
