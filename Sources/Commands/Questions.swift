package import CredentialCore

/// The person at the terminal, who is asked.
package protocol Questions: AnyObject {
    /// Whether there is a terminal on which an answer could be typed.
    var canAsk: Bool { get }

    /// Asks for a line.
    func ask(_ question: Question) -> Reply

    /// Opens a page in the browser.
    ///
    /// - Returns: whether it is opening, so that it can be said.
    func open(_ page: HTTPSAddress) -> Bool
}

/// What is asked.
package enum Question: Equatable {
    /// A client ID; an empty answer tries the last one again, if there is one.
    case clientID(last: DisplayText?)
}

/// What came of a question.
package enum Reply: Equatable {
    /// A line, without blanks around it; may be empty.
    case line(String)
    /// Ctrl-C, Ctrl-D, or nobody there any more.
    case cancelled
}
