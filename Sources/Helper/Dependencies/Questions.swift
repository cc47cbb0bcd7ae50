package import CredentialCore
package import Messages

/// Asks the person at the terminal.
package protocol Questions: AnyObject {
    /// Whether there is a terminal on which an answer could be typed.
    var canAsk: Bool { get }

    /// Asks for a line.
    ///
    /// - Returns: the line without blanks around it, perhaps empty; nil for Ctrl-C, Ctrl-D, or no terminal.
    func ask(_ question: Message) -> String?

    /// Whether a secret is typed at a terminal, so that it may be mistyped.
    var areSecretsTyped: Bool { get }

    /// Asks for a line without showing it; nil as above.
    func ask(_ question: Message, for secret: AskedSecret) -> Secret?

    /// Opens a page in the browser.
    ///
    /// - Returns: whether it is opening.
    func open(_ page: HTTPSAddress) -> Bool
}

/// A secret that a person is asked for; if standard input is not a terminal, all of it is the answer.
package enum AskedSecret {
    /// Byte for byte but for the end of the line.
    case password
    /// Without blanks around it.
    case token
    /// The same, but at the terminal whatever standard input is.
    case pastedToken
}
