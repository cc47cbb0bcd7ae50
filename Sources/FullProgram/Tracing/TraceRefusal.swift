internal import CredentialCore
internal import Language
internal import Messages
internal import System
internal import Verbs

extension Trace.Refusal {
    /// Why there is no trace; the command runs without it.
    var error: UserFacingError {
        switch self {
        case .notOwnFile(let path):
            UserFacingError(
                .configuration,
                Message("not tracing to %1$s: it is not a regular file that you own", DisplayText(own: path)))
        case .unwritable(let path):
            UserFacingError(
                .configuration, Message("not tracing to %1$s: it cannot be opened", DisplayText(own: path)))
        case .answer:
            UserFacingError(
                .configuration, Message("not tracing to the file descriptor from which git reads the answer"))
        }
    }
}
