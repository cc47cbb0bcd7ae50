package import CredentialCore

/// Asks the person at the terminal.
package protocol Questions: AnyObject {
    /// Whether there is a terminal on which an answer could be typed.
    var canAsk: Bool { get }

    /// Asks for a line.
    func ask(_ question: Question) -> Reply

    /// Whether a secret is typed at a terminal, so that it may be mistyped.
    var areSecretsTyped: Bool { get }

    /// Asks for a line without showing it; if standard input is not a terminal, all of it is the answer, except for a
    /// `pastedToken`.
    func askSecret(_ question: Question) -> SecretReply

    /// Opens a page in the browser.
    ///
    /// - Returns: whether it is opening.
    func open(_ page: HTTPSAddress) -> Bool
}

/// What is asked.
package enum Question: Equatable {
    /// A client ID; an empty answer tries the last one again, if there is one.
    case clientID(last: DisplayText?)
    /// Which of the accounts that were listed, by number or name; an empty answer keeps the current one.
    case account(current: DisplayText?)
    /// The keyring's password, byte for byte; a new one is for a keyring yet to be created.
    case keyringPassword(isNew: Bool)
    /// The new password again.
    case repeatedPassword
    /// A token that the person has made on the host's pages.
    case token(host: DisplayText)
    /// The same, but at the terminal whatever standard input is.
    case pastedToken(host: DisplayText)
    /// Whether another tool's sign-in may be used; yes, unless they say no.
    case takeOver(ImportSource, account: DisplayText, host: DisplayText)
    /// `1` or `2`; an empty answer is the first.
    case way
}

/// The answer to a question.
package enum Reply: Equatable {
    /// A line, without blanks around it; may be empty.
    case line(String)
    /// Ctrl-C, Ctrl-D, or no terminal.
    case cancelled
}

/// The answer to a question for a secret.
package enum SecretReply {
    /// The line, without blanks around it; may be empty.
    case secret(Secret)
    /// Ctrl-C, Ctrl-D, or no terminal.
    case cancelled
}
