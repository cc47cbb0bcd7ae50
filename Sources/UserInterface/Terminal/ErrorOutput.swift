package import CredentialCore
internal import Glibc
internal import Helper
package import Messages
internal import System

/// Writes what failed and what to do to standard error; the only place where these prefixes are written.
package enum ErrorOutput {
    /// Writes an error, a line at a time.
    ///
    /// - Parameters:
    ///   - error: what failed.
    ///   - program: the program that offers the keyring; called only if the keyring failed.
    package static func write(_ error: UserFacingError, keyringBy program: () -> KeyringProgram = { .other(nil) }) {
        let error = error.by(program)
        // Continuation lines are aligned with the text of the hints.
        let lines =
            TextOutput.lines(error.text, to: STDERR_FILENO, prefix: "gitspace: error: ", hanging: "hint: ".count)
            + error.hints.flatMap { TextOutput.lines($0, to: STDERR_FILENO, prefix: "hint: ", hanging: "hint: ".count) }
        for line in lines { StandardStreams.report(line + "\n") }
    }
}
