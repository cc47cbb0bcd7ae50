package import CredentialCore
package import Helper

/// A person who answers in the order of a script, and cancels after its end.
package final class ScriptedQuestions: Questions {
    package var canAsk = true
    package var isInputTyped = true
    package var answers: [String] = []
    package var hasBrowser = false
    package private(set) var asked: [String] = []
    package private(set) var opened: [String] = []
    /// The pages that were shown as QR codes.
    package private(set) var pictured: [String] = []

    package init() {}

    package func ask(_ question: Message) -> String? {
        asked.append(question.english)
        return answers.isEmpty ? nil : answers.removeFirst()
    }

    package func ask(_ question: Message, for _: AskedSecret) -> Secret? {
        ask(question).map { Secret(Array($0.utf8)) }
    }

    package func open(_ page: HTTPSAddress) -> Bool {
        opened.append(page.text)
        return hasBrowser
    }

    package func showQRCode(of page: HTTPSAddress) { pictured.append(page.text) }
}
