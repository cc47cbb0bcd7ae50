internal import CredentialCore
package import Helper
internal import Language
package import Messages

package enum ShareWords {
    package static func question(_ question: SharePrompt) -> Message {
        Message("Give your %1$s token to \"%2$s\"?", question.host, DisplayText(trusted: question.place.name.text))
    }

    /// What kind of place it is, whose token it is, and how long the answer holds.
    package static func explanation(_ question: SharePrompt) -> [Message] {
        let kind =
            switch question.place.kind {
            case .directory: Message("A container or machine that uses your shared folder asks for it.")
            case .ssh(let destination):
                Message("A program on the SSH host %1$s asks for it.", DisplayText(trusted: destination))
            }
        let validity =
            question.place.confirmation == .each
            ? Message("You are asked each time.")
            : Message("You are asked again after 8 hours, or when you lock the screen.")
        return [kind, Message("Account: %1$s", question.username), validity]
    }

    package static let allowButton = Message("Allow")
    package static let denyButton = Message("Deny")
}
