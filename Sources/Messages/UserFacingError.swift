package import CredentialCore

/// What failed, and what to do.
///
/// Rules for the texts: lower case, no full stop; a hint is a line, and a command to paste comes last, on a line of its
/// own, indented. Factories with the errors of one subject are beside those who decide on them (`Helper/Errors`).
package struct UserFacingError: Error, Equatable, Sendable {
    /// The kind of an error, for callers and tests: nobody looks into the words.
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
        case signIn, nobodysAccount, shortlyRefused, otherNotFinished, lockImpossible, needsSignIn
        // Servers.
        case server, discovery, refreshRefused, issuedElsewhere, notRevoked, interrupted
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
    /// A line each.
    package let hints: [Message]
    /// The one that the words tell, perhaps within a longer sentence.
    package let keyring: KeyringError?

    package init(_ code: Code, _ text: Message, _ hints: [Message] = [], keyring: KeyringError? = nil) {
        self.code = code
        self.text = text
        self.hints = hints
        self.keyring = keyring
    }

    /// By the person, or because git has ended: it says nothing about what was asked.
    package var isInterruption: Bool { code == .interrupted || keyring == .interrupted }

    /// Something else failed for this reason: `outer` says what, with this text as a placeholder's value; the hints
    /// stay.
    package func within(_ code: Code, _ outer: (Message) -> Message) -> UserFacingError {
        UserFacingError(code, outer(text), hints, keyring: keyring)
    }

    package func with(_ hints: [Message]) -> UserFacingError {
        UserFacingError(code, text, hints, keyring: keyring)
    }
}

extension UserFacingError: CustomStringConvertible {
    package var description: String { "\(code): \(text)" }
}

/// A word of the shell, for commands that people paste.
package enum ShellWord {
    /// A word that the shell takes literally, and that the terminal shows without acting on it.
    ///
    /// What a terminal might act on, and what changes how the rest looks, is written as bytes: `$'\x1b'` (bash(1),
    /// "QUOTING"; POSIX.1-2024, 2.2.4).
    package static func quoted(_ word: String) -> DisplayText {
        let scalars = word.unicodeScalars
        guard word.isEmpty || !scalars.allSatisfy(isPlain) else { return DisplayText(trusted: word) }
        guard scalars.allSatisfy(isVisible) else {
            return DisplayText(trusted: "$'" + scalars.map(escaped).joined() + "'")
        }
        // By scalars: together with a sign that joins it, a quote is another character than a quote, and still one byte
        // to the shell.
        return DisplayText(trusted: "'" + scalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'")
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        DisplayText.isVisible(scalar) && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "/._-+,:@%".unicodeScalars.contains(scalar)
    }

    /// ASCII, and letters of any script.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        (" "..."~").contains(scalar) || isPlain(scalar)
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard isVisible(scalar) else {
            // Always two digits: bash reads no third.
            let bytes = String(scalar).utf8.map { String(decoding: Hexadecimal.digits(of: $0), as: UTF8.self) }
            return bytes.map { "\\x" + $0 }.joined()
        }
        return scalar == "'" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
    }
}

extension DisplayText.Parts {
    package mutating func appendInterpolation(word: String) { appendInterpolation(ShellWord.quoted(word)) }

    package mutating func appendInterpolation(word: DisplayText) { appendInterpolation(word: word.text) }
}
