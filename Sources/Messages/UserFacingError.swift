package import CredentialCore

/// A failure that a person has to know about: what failed, and what to do.
///
/// Rules for the texts: lower case, no full stop; a hint is a line, and a command to paste comes last, on a line of its
/// own, indented. Factories with the errors of one subject are beside those who decide on them (`Helper/Errors`).
package struct UserFacingError: Error, Equatable, Sendable {
    /// What kind of failure it is, for callers and tests: nobody looks into the words.
    package enum Code: Sendable {
        // What was asked for.
        case requestRefused, malformedArgument, noSuchVerb, noRepository, share
        // The keyring.
        case keyring, notSaved, notErased, notAllErased, revokedNotErased, keyringPassword
        // git's configuration.
        case configurationUnreadable, configuration
        // What is stored.
        case notSignedIn, keyringAbsent, severalAccounts, accountNotStored, noAccountNamed, notRefreshable
        case tokenOfAnother
        // A sign-in, and what it needs.
        case nobodyHere, noClientID, clientRefused, clientUnusable, clientIDNotKept, nobodyToAsk, notForSignIn
        case signIn, wrongAccount, shortlyRefused, otherNotFinished, lockImpossible, needsSignIn
        // Servers.
        case server, discovery, refreshRefused, issuedElsewhere, notRevoked, revocationInterrupted
        // Tokens that a person pastes.
        case tokenUnusable, tokenNeeded, hostRecognized, gitLacksAuthtype
        // What `check` has found.
        case finding
        // GitHub Apps and keys.
        case app, severalInstallations, repositoryUnknown, signingKey
    }

    package let code: Code
    /// What failed.
    package let text: Message
    /// What to do, a line each.
    package let hints: [Message]
    /// The failure of the keyring that the words tell, perhaps within a longer sentence.
    package let keyring: KeyringError?

    package init(_ code: Code, _ text: Message, _ hints: [Message] = [], keyring: KeyringError? = nil) {
        self.code = code
        self.text = text
        self.hints = hints
        self.keyring = keyring
    }

    /// The same advice about something that failed for that reason.
    ///
    /// - Parameters:
    ///   - code: what kind of failure that is.
    ///   - outer: says what failed, with this text as a placeholder's value.
    /// - Returns: that failure, with these hints.
    package func within(_ code: Code, _ outer: (Message) -> Message) -> UserFacingError {
        UserFacingError(code, outer(text), hints, keyring: keyring)
    }

    /// The same failure with other advice.
    package func with(_ hints: [Message]) -> UserFacingError {
        UserFacingError(code, text, hints, keyring: keyring)
    }
}

extension UserFacingError: CustomStringConvertible {
    package var description: String { "\(code): \(text)" }
}
