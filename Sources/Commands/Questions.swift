package import CredentialCore
internal import Helper
package import Messages

/// A conversation with the person at the terminal.
package protocol Questions: AnyObject {
    /// Whether there is a terminal on which an answer could be typed.
    var canAsk: Bool { get }

    /// Says some lines.
    func tell(_ lines: [Message])

    /// Asks for a line.
    func ask(_ question: Message) -> Reply

    /// Opens a page in the browser.
    ///
    /// - Returns: whether it is opening, so that it can be said.
    func open(_ page: HTTPSAddress) -> Bool
}

/// What came of a question.
package enum Reply: Equatable {
    /// A line, without blanks around it; may be empty.
    case line(String)
    /// Ctrl-C, Ctrl-D, or nobody there any more.
    case cancelled
}
