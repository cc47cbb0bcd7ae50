internal import CredentialCore
internal import Helper
internal import Language
internal import Providers
internal import Share
internal import System

struct NotificationText {
    /// The keys of buttons, which the service reports.
    enum Button: String {
        /// The notification itself, which some services show as a button too.
        case notification = "default"
        case open
        case copy
        case allow
        case deny
    }

    /// The summary, which never has markup.
    var summary: String
    /// The body, with markup if the service supports it.
    var body: String
    var actions: [(key: String, label: String)] = []

    /// The code comes first, since a service may cut off the end.
    ///
    /// The address is shown even if a button opens it, so that a person can open it on another device.
    init(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?, capabilities: [String],
        aids: NotificationAids
    ) {
        summary = Language.text(SignInWords.need(prompt, askedBy: asker))
        let page = prompt.approval.address
        let code = prompt.approval.userCode
        var lines = [code == nil ? SignInWords.approve(on: page) : SignInWords.enterCode(on: page)]
        if prompt.isRenewal { lines.append(SignInWords.renewal) }
        lines.append(SignInWords.onlyYours)
        lines += SignInWords.circumstances(prompt, askedBy: asker, in: folder)
        let first = code.map { capabilities.contains("body-markup") ? "<b>\(Self.escaped($0))</b>" : $0 }
        let texts = lines.map { Self.body(Language.text($0), capabilities) }
        body = ([first].compactMap(\.self) + texts).joined(separator: "\n")
        guard capabilities.contains("actions") else { return }
        if aids.open != nil {
            let label = Language.text(SignInWords.openButton)
            actions += [(Button.notification.rawValue, label), (Button.open.rawValue, label)]
        }
        if aids.copy != nil, code != nil {
            actions.append((Button.copy.rawValue, Language.text(SignInWords.copyButton)))
        }
    }

    mutating func say(_ notice: Message, capabilities: [String]) {
        body = Self.body(Language.text(notice), capabilities)
    }

    private static func body(_ text: String, _ capabilities: [String]) -> String {
        capabilities.contains("body-markup") ? escaped(text) : text
    }

    init(signedInAs account: DisplayText, _ storage: CredentialStorage, capabilities: [String]) {
        summary = Language.text(SignInWords.signedIn(account))
        body = Self.body(Language.text(Message.kept(in: storage)), capabilities)
    }

    /// The first button must not be the one that allows: a person may press where another button was a moment ago.
    init(_ question: SharePrompt, capabilities: [String]) {
        summary = Language.text(question.question)
        body = Self.body(question.explanation.map { Language.text($0) }.joined(separator: "\n"), capabilities)
        actions = [
            (Button.deny.rawValue, Language.text(SharePrompt.denyButton)),
            (Button.allow.rawValue, Language.text(SharePrompt.allowButton)),
        ]
    }

    static func escaped(_ text: String) -> String {
        // Scalars, since `<` and a combining character after it are one `Character`.
        let escapes: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}
