internal import CredentialCore

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
    package static let program = VerbHelp(
        Message("Signs git in to GitHub, and keeps the token in the keyring."),
        Message("git itself calls the operations get, store, erase and capability."))

    package static let json = Message("Print an array of objects for programs.")

    package enum Setup {
        package static let verb = VerbHelp(
            Message("Set up git and sign in: the one command after installation."),
            Message("Sets up git, then signs in."),
            Message("Uses the sign-in of gh or Git Credential Manager, else the browser, else a token you paste."),
            Message("What is done already is skipped, so you can stop and run it again."))
        package static let host = Message(
            "The host to sign in to; unless given, that of this repository or github.com.")
        package static let yes = Message(
            "Ask no questions: use what gh or Git Credential Manager has, else sign in if someone is there.")
        package static let withToken = Message(
            "Sign in with a token of your own: asked for, or read from standard input.")
    }

    package enum Login {
        package static let verb = VerbHelp(
            Message("Sign in now."),
            Message("To set up git as well, and for help with a first sign-in, run \"%1$s\".", setup))
        package static let host = Setup.host
        package static let username = Message("The account to sign in as.")
        package static let force = Message("Sign in even if a valid token is stored.")
        package static let withToken = Message(
            "Use a token that you have made yourself: asked for, or read from standard input.")
    }

    package enum Logout {
        package static let verb = VerbHelp(
            Message("Remove what is stored for a host."),
            Message("The token itself stays valid until it is revoked or you withdraw the app's access."))
        package static let host = Message(
            "The host to sign out of; unless given, that of this repository or github.com.")
        package static let username = Message("The account to remove.")
        package static let all = Message("Remove every account of the host.")
        package static let revoke = Message(
            "Revoke the token first, and keep it if that fails; GitHub tells you by e-mail.")
        package static let force = Message("With --revoke: remove what could not be revoked as well.")
    }

    package enum Refresh {
        package static let verb = VerbHelp(Message("Refresh a token now."))
        package static let host = Message(
            "The host whose token is refreshed; unless given, that of this repository or github.com.")
        package static let username = Message("The account whose token is refreshed.")
    }

    package enum Status {
        package static let verb = VerbHelp(
            Message("Show every account, and how it stands."),
            Message("Exits with 1 if nobody is signed in. A token is never shown."))
        package static let host = Message("The host to look at; all of them unless given.")
        package static let offline = Message("Do not ask the servers whether the tokens are still good.")
    }

    package enum Switch {
        package static let verb = VerbHelp(
            Message("Choose the account that git uses by default."),
            Message("For remotes whose URL names no account."),
            Message("Sets git's own credential.<url>.username in your configuration."),
            Message("github.com and gist.github.com go together."),
            Message("Without a name, lists the accounts and asks."),
            Message("A single word is the host if gitspace signs in there, else the account."))
        package static let host = Message("The host; unless given, that of this repository or github.com.")
        package static let name = Message("The account; unless given, you are asked.")
        package static let unset = Message("Remove the choice: git uses the account that was signed in first.")
    }

    package enum Unlock {
        package static let verb = VerbHelp(
            Message("Unlock the keyring in a terminal."),
            Message("Asks for the keyring's password without showing it, or reads it from standard input."),
            Message("For gnome-keyring; of KeePassXC and KWallet it tells how they are unlocked."))
    }

    package enum Check {
        package static let verb = VerbHelp(
            Message("Ask whether you can reach a repository, and if not, why."),
            Message("The address can be one from a browser or from \"git remote -v\", or OWNER/NAME for github.com."),
            Message("Exits with 1 if the repository cannot be read. Never starts a sign-in."))
        package static let url = Message("The repository; unless given, the remote of the one you are in.")
        package static let json = Message("Print an object for programs.")
    }

    package enum Doctor {
        package static let verb = VerbHelp(
            Message("Look at everything that a sign-in needs."),
            Message("Keyring, git and its helpers, client ID, network, clock and accounts: a line each."),
            Message("Below a fault stands what mends it."),
            Message("Changes nothing, but for one item in an open keyring that is removed again."),
            Message("Exits with 1 if anything failed."))
    }

    package enum Configure {
        package static let verb = VerbHelp(
            Message("Set up git to ask gitspace."),
            Message("For github.com, gist.github.com, and your own hosts that have a provider configured."),
            Message("To sign in as well, run \"%1$s\" instead.", setup))
        package static let system = Message("Set it up for everyone on this machine, not only for you.")
        package static let byName = Message(
            "Write the name \"gitspace\" instead of the program's path, for settings you share between machines.")
        package static let proactive = Message(
            "Send the token with the first request, which saves a round trip in every fetch (git 2.46 and newer).")
        package static let dryRun = Message("Show what would be written, and write nothing.")
    }

    package enum Unconfigure {
        package static let verb = VerbHelp(Message("Undo what configure has set up."))
        package static let system = Message("What was set up for everybody on this machine.")
        package static let dryRun = Message("Show what would be removed, and write nothing.")
    }

    package enum Import {
        package static let verb = VerbHelp(
            Message("Take over what other tools have stored."),
            Message("Copies passwords and tokens into the keyring, in this program's form. Nothing is removed."))
        package static let from = Message(
            "Only from gh, gcm (Git Credential Manager) or store (git-credential-store).")
        package static let dryRun = Message("Show what would be copied, and store nothing.")
    }

    package enum Register {
        package static let verb = VerbHelp(
            Message("Make a client ID of your own, and have git remember it."),
            Message("Shows the page on which an OAuth App is registered, then tries its client ID."),
            Message("One that works is kept in git's configuration."))
        package static let host = Message("The host on which the app is registered.")
        package static let gitHubApp = Message("Register a GitHub App instead of an OAuth App.")
        package static let clientID = Message("The client ID of an app that is registered already.")
    }

    private static let setup = Verbatim("git credential-gitspace setup")
}
