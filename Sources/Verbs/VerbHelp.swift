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

    package enum Doctor {
        package static let verb = VerbHelp(
            Message("Find problems with your setup."),
            Message(
                "Checks the keyring, git and its helpers, the client ID, the network, the clock and your accounts."),
            Message("Each problem is followed by the command that fixes it."),
            Message("Changes nothing, except that it writes a test item to the keyring and deletes it again."),
            Message("Exits with 1 if it finds a problem."))
    }
}
