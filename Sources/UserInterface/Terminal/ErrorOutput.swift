package import CredentialCore
internal import Glibc
package import Helper
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
        write(error.concernsKeyring ? error.words(by: program()) : error.words)
    }

    /// Writes what failed, and what to do about it.
    package static func write(_ text: ErrorText) {
        // Continuation lines are aligned with the text of the hints.
        let lines =
            TextOutput.lines(text.what, to: STDERR_FILENO, prefix: "gitspace: error: ", hanging: "hint: ".count)
            + text.hints.flatMap { TextOutput.lines($0, to: STDERR_FILENO, prefix: "hint: ", hanging: "hint: ".count) }
        for line in lines { StandardStreams.report(line + "\n") }
    }
}
