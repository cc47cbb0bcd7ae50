internal import CredentialCore
package import Helper
package import Messages
internal import System

/// Says what failed and what to do, on standard error; the only place where these prefixes are written.
package enum ErrorOutput {
    /// Writes a complaint, a line at a time.
    package static func write(_ complaint: UserFacingError) { write(complaint.text, complaint.hints) }

    /// Writes what failed, and what to do about it.
    package static func write(_ text: Message, _ hints: [Message]) {
        StandardStreams.report("gitspace: error: \(Language.text(text))\n")
        for hint in hints { StandardStreams.report("hint: \(Language.text(hint))\n") }
    }
}
