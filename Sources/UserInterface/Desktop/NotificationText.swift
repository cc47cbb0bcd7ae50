internal import CredentialCore
internal import Helper
internal import Messages
internal import OAuth
internal import System

/// How the words of a sign-in stand in a notification.
struct NotificationText {
    /// What can be pressed, by the key that the service tells.
    enum Button: String {
        /// The notification itself; some services show it as a button as well.
        case notification = "default"
        case open
        case copy
        /// A place gets the token, or not.
        case allow
        case deny
    }

    /// The line above; never markup.
    var summary: String
    /// What stands below, already marked up or not as the service understands it.
    var body: String
    /// The buttons.
    var actions: [(key: String, label: String)] = []

    /// The words that ask a person to sign in.
    ///
    /// The code comes first: what is folded away is the end. The address is there even if a button opens it, so that a
    /// person sees where they are led, and can go there on another device.
    ///
    /// - Parameters:
    ///   - prompt: what to show.
    ///   - asker: who asks; nil if that goes without saying.
    ///   - folder: where it asks; nil if that is not known.
    ///   - capabilities: the service's.
    ///   - aids: what the buttons could do.
    init(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?, capabilities: [String],
        aids: NotificationAids
    ) {
        summary = Language.text(SignInWords.need(prompt, askedBy: asker))
        var lines = [SignInWords.enterCode(on: prompt.authorization.verificationURI)]
        if let asker { lines.append(SignInWords.askedBy(asker, in: folder)) }
        if prompt.isRenewal { lines.append(SignInWords.renewal) }
        lines.append(SignInWords.onlyYours)
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

    /// The words that say that the sign-in has succeeded.
    init(signedInAs account: DisplayText, _ storage: CredentialStorage, capabilities: [String]) {
        summary = Language.text(SignInWords.signedIn(account))
        let text = Language.text(SignInWords.kept(in: storage))
        body = capabilities.contains("body-markup") ? Self.escaped(text) : text
    }

    /// The words that ask whether a place may have a token, all of them ours.
    ///
    /// What is pressed first must not be a yes: a button that stands where another one stood a moment ago.
    init(_ question: ShareQuestion, capabilities: [String]) {
        summary = Language.text(ShareWords.question(question))
        let text = ShareWords.explanation(question).map { Language.text($0) }.joined(separator: "\n")
        body = capabilities.contains("body-markup") ? Self.escaped(text) : text
        actions = [
            (Button.deny.rawValue, Language.text(ShareWords.denyButton)),
            (Button.allow.rawValue, Language.text(ShareWords.allowButton)),
        ]
    }

    /// A text that is no markup, for a service that understands markup.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
