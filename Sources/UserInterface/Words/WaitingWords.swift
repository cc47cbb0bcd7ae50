internal import CredentialCore
internal import Helper
internal import Language
package import Messages

/// The texts below the code while we wait for the person: the keys, and the time that is left.
package enum WaitingWords {
    /// What the keys do, in one sentence, so that each language can put it in its own order; nil if there is nothing to
    /// say: `q` alone does the same as Ctrl-C, which is shown anyway.
    package static func keys(opens: Bool, copies: Bool, showsQRCode: Bool) -> Message? {
        switch (opens, copies, showsQRCode) {
        case (true, true, true): Message("Enter opens it here, c copies the code, r shows a QR code.")
        case (true, true, false): Message("Press Enter to open it here, c to copy the code, q to quit.")
        case (true, false, true): Message("Press Enter to open it here, r for a QR code, q to quit.")
        case (true, false, false): Message("Press Enter to open it here, q to quit.")
        case (false, true, true): Message("Press c to copy the code, r for a QR code, q to quit.")
        case (false, true, false): Message("Press c to copy the code, q to quit.")
        case (false, false, true): Message("Press r for a QR code, q to quit.")
        case (false, false, false): nil
        }
    }

    /// The same in parts, where there is no room for a sentence.
    package static func shortKeys(opens: Bool, copies: Bool, showsQRCode: Bool) -> [Message] {
        (opens ? [Message("Enter: open")] : []) + (copies ? [Message("c: copy")] : [])
            + (showsQRCode ? [Message("r: QR code")] : []) + [Message("q: quit")]
    }

    /// How long the code stays valid, in minutes, and in seconds in the last one.
    package static func left(seconds: Int64) -> Message {
        seconds >= 60 ? Message("%1$s min left.", (seconds + 30) / 60) : Message("%1$s s left.", max(seconds, 0))
    }

    /// The waiting line where it is a sentence.
    package static func waiting(seconds: Int64) -> Message {
        Message("Waiting for you to approve. %1$s Ctrl-C cancels.", left(seconds: seconds))
    }

    /// The same where there is less room.
    package static func shortWaiting(seconds: Int64) -> Message {
        Message("%1$s Ctrl-C cancels.", left(seconds: seconds))
    }
}
