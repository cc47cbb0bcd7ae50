package import Commands
package import CredentialCore
internal import Helper
package import Messages

/// A person who answers in the order of a script, and cancels behind its end.
package final class ScriptedQuestions: Questions {
    package var canAsk = true
    /// What the person types.
    package var answers: [String] = []
    /// Whether a browser can be opened.
    package var hasBrowser = false
    /// All that was said.
    package private(set) var told: [String] = []
    /// All that was asked.
    package private(set) var asked: [String] = []
    /// The pages that were opened.
    package private(set) var opened: [String] = []

    /// A person who cancels at once.
    package init() {}

    package func tell(_ lines: [Message]) { told += lines.map(\.english) }

    package func ask(_ question: Message) -> Reply {
        asked.append(question.english)
        return answers.isEmpty ? .cancelled : .line(answers.removeFirst())
    }

    package func open(_ page: HTTPSAddress) -> Bool {
        opened.append(page.text)
        return hasBrowser
    }
}
