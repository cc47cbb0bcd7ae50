internal import CredentialCore
internal import Helper
internal import Messages
internal import OAuth

/// The words of a notification.
struct NotificationText {
    /// What can be pressed, by the key that the service tells.
    enum Button: String {
        /// The notification itself; some services show it as a button as well.
        case notification = "default"
        case open
        case copy
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
    ///   - command: the git command that asks, if it is known.
    ///   - capabilities: the service's.
    ///   - aids: what the buttons could do.
    init(_ prompt: SignInPrompt, askedBy command: Message?, capabilities: [String], aids: NotificationAids) {
        let (provider, host) = (prompt.providerName, prompt.host)
        summary = Language.text(
            prompt.askedAccount.map { Message("git needs to sign in to %1$s (%2$s) as %3$s.", provider, host, $0) }
                ?? Message("git needs to sign in to %1$s (%2$s).", provider, host))
        var lines = [Message("Enter this code on %1$s", prompt.authorization.verificationURI.text)]
        if let command { lines.append(Message("Asked by: %1$s", command)) }
        if prompt.isRenewal { lines.append(Message("The code expired; here is a new one.")) }
        lines.append(Message("Only if you started this yourself."))
        let hasMarkup = capabilities.contains("body-markup")
        let code = prompt.authorization.userCode
        let texts = lines.map { hasMarkup ? Self.escaped(Language.text($0)) : Language.text($0) }
        body = ([hasMarkup ? "<b>\(Self.escaped(code))</b>" : code] + texts).joined(separator: "\n")
        guard capabilities.contains("actions") else { return }
        if aids.open != nil {
            let label = Language.text(Message("Open the page"))
            actions += [(Button.notification.rawValue, label), (Button.open.rawValue, label)]
        }
        if aids.copy != nil { actions.append((Button.copy.rawValue, Language.text(Message("Copy the code")))) }
    }

    /// The words that say that the sign-in has succeeded.
    init(signedInAs account: String, _ storage: CredentialStorage, capabilities: [String]) {
        summary = Language.text(Message("Signed in as %1$s", account))
        let text =
            switch storage {
            case .keyring: Message("Saved in the keyring.")
            case .memory: Message("No keyring here: git credential-cache keeps the token in memory.")
            }
        body = capabilities.contains("body-markup") ? Self.escaped(Language.text(text)) : Language.text(text)
    }

    /// A text that is no markup, for a service that understands markup.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
