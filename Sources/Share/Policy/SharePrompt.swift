package import CredentialCore
package import Messages

/// The desktop, where the person is asked whether a target may have a token.
package protocol ShareScreen: AnyObject {
    /// Nil if nothing here can tell.
    var isLocked: Bool? { get }
    /// Whether a question could be shown now, and answered.
    var canAsk: Bool { get }

    /// Waits for the answer for `patience` milliseconds at most; nil for a yes.
    ///
    /// In the question are facts of our own: nothing in it comes from the target. `whileWaiting` is called ten times a
    /// second, so that requests that come meanwhile are taken in.
    func ask(_ question: SharePrompt, whileWaiting: () -> Void) -> ShareRefusal?
}

/// The question whether a target may have a token.
package struct SharePrompt: Equatable {
    package let target: ShareTarget
    package let host: DisplayText
    package let username: DisplayText
    /// What a gateway would do for it there; nil for a token that is handed out.
    package let service: GitService?

    package init(target: ShareTarget, host: DisplayText, username: DisplayText, service: GitService? = nil) {
        self.target = target
        self.host = host
        self.username = username
        self.service = service
    }

    /// In milliseconds; git inside waits as long.
    package static let patience: Int64 = 30_000

    package var question: Message {
        let name = DisplayText(trusted: target.name.text)
        return switch service {
        case nil: Message("Give your %1$s credentials to \"%2$s\"?", host, name)
        case .uploadPack: Message("Let \"%1$s\" fetch from %2$s?", name, host)
        case .receivePack: Message("Let \"%1$s\" push to %2$s?", name, host)
        }
    }

    /// What asks for it, whose token it is, and how long the answer holds.
    package var explanation: [Message] {
        let kind =
            switch target.kind {
            case .directory: Message("A container or machine that uses your shared folder asks for it.")
            case .ssh(let destination):
                Message("A program on the SSH host %1$s asks for it.", DisplayText(trusted: destination))
            }
        let validity =
            target.confirmation == .each
            ? Message("You are asked each time.")
            : Message("You are asked again after 8 hours, or when you lock the screen.")
        return [kind, Message("Account: %1$s", username), validity]
    }

    package static let allowButton = Message("Allow")
    package static let denyButton = Message("Deny")
}
