internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Providers
internal import System
internal import Verbs

/// The text of a notification.
struct NotificationText {
    /// What can be pressed, by the key that the service reports.
    enum Button: String {
        /// The notification itself; some services show it as a button as well.
        case notification = "default"
        case open
        case copy
        /// A place gets the token (`allow`) or not (`deny`).
        case allow
        case deny
    }

    /// The title; never markup.
    var summary: String
    /// The text below the title, with or without markup as the service supports it.
    var body: String
    /// The buttons.
    var actions: [(key: String, label: String)] = []

    /// The text that asks a person to sign in.
    ///
    /// The code comes first, since a service may cut off the end. The address is shown even if a button opens it, so
    /// that a person sees where it leads, and can open it on another device.
    ///
    /// - Parameters:
    ///   - prompt: what to show.
    ///   - asker: the command that asks; nil if that is obvious.
    ///   - folder: the folder in which it asks; nil if unknown.
    ///   - capabilities: the service's.
    ///   - aids: what the buttons can do.
    init(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?, capabilities: [String],
        aids: NotificationAids
    ) {
        summary = Language.text(SignInWords.need(prompt, askedBy: asker))
        var lines = [SignInWords.enterCode(on: prompt.authorization.verificationURI)]
        if prompt.isRenewal { lines.append(SignInWords.renewal) }
        lines.append(SignInWords.onlyYours)
        lines += SignInWords.circumstances(prompt, askedBy: asker, in: folder)
        let hasMarkup = capabilities.contains("body-markup")
        let code = prompt.authorization.userCode
        let texts = lines.map { hasMarkup ? Self.escaped(Language.text($0)) : Language.text($0) }
        body = ([hasMarkup ? "<b>\(Self.escaped(code))</b>" : code] + texts).joined(separator: "\n")
        guard capabilities.contains("actions") else { return }
        if aids.open != nil {
            let label = Language.text(SignInWords.openButton)
            actions += [(Button.notification.rawValue, label), (Button.open.rawValue, label)]
        }
        if aids.copy != nil { actions.append((Button.copy.rawValue, Language.text(SignInWords.copyButton))) }
    }

    /// The text that reports a successful sign-in.
    init(signedInAs account: DisplayText, _ storage: CredentialStorage, capabilities: [String]) {
        summary = Language.text(SignInWords.signedIn(account))
        let text = Language.text(Message.kept(in: storage))
        body = capabilities.contains("body-markup") ? Self.escaped(text) : text
    }

    /// The text that asks whether a place may have a token, all of it in our own words.
    ///
    /// The first button must not be the one that allows: a person may press where another button was a moment ago.
    init(_ question: SharePrompt, capabilities: [String]) {
        summary = Language.text(ShareWords.question(question))
        let text = ShareWords.explanation(question).map { Language.text($0) }.joined(separator: "\n")
        body = capabilities.contains("body-markup") ? Self.escaped(text) : text
        actions = [
            (Button.deny.rawValue, Language.text(ShareWords.denyButton)),
            (Button.allow.rawValue, Language.text(ShareWords.allowButton)),
        ]
    }

    /// Escapes plain text for a service that interprets markup.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
