internal import CredentialCore
package import System

extension Trace.Refusal {
    /// Why there is no trace; the command runs without it.
    package var words: ErrorText {
        switch self {
        case .notOwnFile(let path):
            ErrorText(
                Message("not tracing to %1$s: it is not a regular file that you own", DisplayText(own: path)))
        case .unwritable(let path):
            ErrorText(Message("not tracing to %1$s: it cannot be opened", DisplayText(own: path)))
        case .answer: ErrorText(Message("not tracing to the file descriptor from which git reads the answer"))
        }
    }
}
