internal import Glibc
package import Helper
internal import Language
internal import Machine

/// Says what failed and what to do, on standard error; the only place where these prefixes are written.
package enum Complaints {
    /// Writes a complaint, a line at a time.
    package static func write(_ complaint: Complaint) {
        StandardStreams.complain("gitspace: error: \(Language.text(complaint.text))\n")
        for hint in complaint.hints { StandardStreams.complain("hint: \(Language.text(hint))\n") }
    }
}
