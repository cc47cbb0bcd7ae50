package import CredentialCore

/// An error for people: what failed, and hints for the next step.
///
/// Texts are in lower case, without a full stop. A hint is one line; a command comes last, indented, on its own line.
package struct UserFacingError: Error, Equatable, Sendable {
    /// The kind of an error, for callers and tests, which must not compare the words.
    package enum Code: Sendable {
        // Requests and arguments.
        case requestRefused, malformedArgument, noSuchVerb, noRepository, share
        // Keyrings.
        case keyring, notSaved, notErased, notAllErased, revokedNotErased, keyringPassword
        // git's configuration.
        case configurationUnreadable, configuration
        // Stored credentials.
        case notSignedIn, keyringAbsent, severalAccounts, accountNotStored, noAccountNamed, notRefreshable
        case tokenOfAnother
        // Sign-ins and their requirements.
        case nobodyHere, noClientID, clientRefused, clientUnusable, clientIDNotKept, nobodyToAsk, notForSignIn
        case signIn, nobodysAccount, shortlyRefused, otherNotFinished, lockImpossible, needsSignIn
        // Servers.
        case server, discovery, refreshRefused, issuedElsewhere, notRevoked, interrupted
        // Tokens that a person has pasted.
        case tokenUnusable, tokenNeeded, hostRecognized, gitLacksAuthtype
        // Findings of `check`.
        case finding
        // GitHub Apps and keys.
        case app, severalInstallations, repositoryUnknown, signingKey
    }

    package let code: Code
    package let text: Message
    package let hints: [Message]
    /// The keyring error that the sentence contains.
    package let keyring: KeyringError?

    package init(_ code: Code, _ text: Message, _ hints: [Message], keyring: KeyringError? = nil) {
        self.code = code
        self.text = text
        self.hints = hints
        self.keyring = keyring
    }

    package init(_ code: Code, _ text: Message, _ hints: Message...) { self.init(code, text, hints) }

    /// Whether the person or git's end interrupted the work, so that the error means nothing for the request.
    package var isInterruption: Bool { code == .interrupted || keyring == .interrupted }

    /// Returns an error that this one has caused, with the same hints.
    ///
    /// `outer` makes the sentence, with this error's text as the value of a placeholder.
    package func within(_ code: Code, _ outer: (Message) -> Message) -> UserFacingError {
        UserFacingError(code, outer(text), hints, keyring: keyring)
    }

    package func with(_ hints: [Message]) -> UserFacingError { UserFacingError(code, text, hints, keyring: keyring) }
}

extension UserFacingError: CustomStringConvertible {
    package var description: String { "\(code): \(text)" }
}

extension UserFacingError {
    /// The error, without a byte of the request.
    package static func requestRefused(_ error: RequestError) -> UserFacingError {
        func refused(_ what: Message) -> UserFacingError {
            UserFacingError(.requestRefused, Message("refused the request: %1$s", what))
        }
        func name(_ attribute: Attribute) -> DisplayText { DisplayText(trusted: attribute.rawValue) }
        return switch error {
        case .malformedLine: refused(Message("a line is incomplete"))
        case .tooLong: refused(Message("it is too long"))
        case .controlByte(let attribute): refused(Message("%1$s contains a control character", name(attribute)))
        case .contradiction(let attribute): refused(Message("%1$s has two different values", name(attribute)))
        case .missing(let attribute): refused(Message("%1$s is missing", name(attribute)))
        case .malformedHost: refused(Message("the host is not valid"))
        case .downgrade: downgrade
        }
    }

    package static let downgrade = UserFacingError(
        .requestRefused, Message("refused the request: this host is only used over https, on its default port"))

    /// Creates the error for a failed search, which uses the request, the configuration and the keyring.
    package init(whileLookingUp error: any Error) {
        switch error {
        case let error as UserFacingError: self = error
        case let error as RequestError: self = .requestRefused(error)
        case let error as ConfigurationError: self = .configurationUnreadable(error)
        case let error as KeyringError: self = .keyring(error)
        default: self = .keyring(.other("\(error)"))
        }
    }

    package static func noSuchVerb(_ word: DisplayText, nearest: DisplayText?) -> UserFacingError {
        UserFacingError(
            .noSuchVerb,
            word.text.hasPrefix("-") ? Message("unknown option '%1$s'", word) : Message("unknown command: %1$s", word),
            nearest.map {
                [Message("the most similar command is:"), .command("git credential-gitspace \($0)")]
            } ?? [Message("to list all commands:"), .command("git-credential-gitspace --help")])
    }
}

package enum ShellWord {
    /// A word that the shell takes literally, and that the terminal shows without acting on it.
    ///
    /// Characters that a terminal might act on, or that change how others look, are written as bytes: `$'\x1b'`
    /// (bash(1), "QUOTING"; POSIX.1-2024, 2.2.4).
    package static func quoted(_ word: String) -> DisplayText {
        let scalars = word.unicodeScalars
        guard word.isEmpty || !scalars.allSatisfy(DisplayText.isPlainWord) else { return DisplayText(trusted: word) }
        guard scalars.allSatisfy(isVisible) else {
            return DisplayText(trusted: "$'" + scalars.map(escaped).joined() + "'")
        }
        // Scalars, since a quote with a combining sign is another character in Swift, but still a quote to the shell.
        return DisplayText(trusted: "'" + scalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'")
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        (" "..."~").contains(scalar) || DisplayText.isPlainWord(scalar)
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard isVisible(scalar) else {
            // Two digits always, since bash reads no third.
            let bytes = String(scalar).utf8.map { String(decoding: Hexadecimal.digits(of: $0), as: UTF8.self) }
            return bytes.map { "\\x" + $0 }.joined()
        }
        return scalar == "'" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
    }
}

extension DisplayText.Parts {
    package mutating func appendInterpolation(word: String) { appendInterpolation(ShellWord.quoted(word)) }

    /// Leaves out a token in the place of an account: the command then asks for the account.
    package mutating func appendInterpolation(word: DisplayText) {
        if word == .token { omitWord() } else { appendInterpolation(word: word.text) }
    }
}

/// Restricted Damerau-Levenshtein distance: the number of letters to change, add, drop or swap with a neighbour.
package enum EditDistance {
    /// The closest candidate, or `nil` if more than a third of the word's letters differ, or more than two.
    package static func nearest(to word: String, of candidates: [String]) -> String? {
        let most = min(2, max(1, word.utf8.count / 3))
        guard word.utf8.count <= 32 else { return nil }
        let measured = candidates.map { ($0, between(Array(word.utf8), Array($0.utf8))) }
        return measured.filter { $0.1 <= most }.min { $0.1 < $1.1 }?.0
    }

    package static func between(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var next = [i + 1]
            for (j, other) in right.enumerated() {
                var cost = min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { cost = min(cost, before[j - 1] + 1) }
                next.append(cost)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
