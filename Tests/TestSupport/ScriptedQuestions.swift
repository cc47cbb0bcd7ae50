package import CredentialCore
internal import Helper
internal import Language
internal import Messages
package import Verbs

/// A person who answers in the order of a script, and cancels behind its end.
package final class ScriptedQuestions: Questions {
    package var canAsk = true
    package var areSecretsTyped = true
    /// What the person types.
    package var answers: [String] = []
    /// Whether a browser can be opened.
    package var hasBrowser = false
    /// All that was asked.
    package private(set) var asked: [String] = []
    /// The pages that were opened.
    package private(set) var opened: [String] = []

    /// A person who cancels at once.
    package init() {}

    package func ask(_ question: Question) -> Reply {
        asked.append(question.text.english)
        return answers.isEmpty ? .cancelled : .line(answers.removeFirst())
    }

    package func askSecret(_ question: Question) -> SecretReply {
        asked.append(question.text.english)
        return answers.isEmpty ? .cancelled : .secret(Secret(Array(answers.removeFirst().utf8)))
    }

    package func open(_ page: HTTPSAddress) -> Bool {
        opened.append(page.text)
        return hasBrowser
    }
}
