internal import Glibc
package import Helper
internal import Language
internal import Machine
package import Messages

/// Says what failed and what to do, on standard error; the only place where these prefixes are written.
package enum Complaints {
    /// Writes a complaint, a line at a time.
    package static func write(_ complaint: Complaint) { write(complaint.text, complaint.hints) }

    /// Writes what failed, and what to do about it.
    package static func write(_ text: Message, _ hints: [Message]) {
        StandardStreams.complain("gitspace: error: \(Language.text(text))\n")
        for hint in hints { StandardStreams.complain("hint: \(Language.text(hint))\n") }
    }
}
