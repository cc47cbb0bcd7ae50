internal import CredentialCore
package import Helper
package import Messages
internal import System

/// Says what failed and what to do, on standard error; the only place where these prefixes are written.
package enum ErrorOutput {
    /// Writes an error, a line at a time.
    package static func write(_ error: UserFacingError) { write(error.words) }

    /// Writes what failed, and what to do about it.
    package static func write(_ text: ErrorText) {
        StandardStreams.report("gitspace: error: \(Language.text(text.what))\n")
        for hint in text.hints { StandardStreams.report("hint: \(Language.text(hint))\n") }
    }
}
