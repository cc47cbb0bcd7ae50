internal import CredentialCore
internal import Helper
internal import Language
package import Messages
internal import Verbs

/// The line that is shown while we wait.
enum WaitingLine {
    /// Chooses the text of the line.
    ///
    /// - Parameters:
    ///   - seconds: how long the code still lasts.
    ///   - form: how it is laid out.
    /// - Returns: the longest form that the width allows; if none fits, a short one that is wrapped.
    static func text(seconds: Int64, _ form: ScreenForm) -> String {
        let short = Language.text(WaitingWords.shortWaiting(seconds: seconds))
        let candidates =
            (form.hasLongWaitingLine ? [Language.text(WaitingWords.waiting(seconds: seconds))] : [])
            + [short, Language.text(WaitingWords.left(seconds: seconds))]
        return candidates.first { fits($0, form) } ?? short
    }

    /// Whether a line can be overwritten: if the terminal has wrapped it, only its last row would be.
    static func fits(_ line: String, _ form: ScreenForm) -> Bool { Language.columns(of: line) <= form.columns }

    /// When the line changes next.
    ///
    /// - Parameters:
    ///   - seconds: how long the code still lasts.
    ///   - rewrites: whether the line is overwritten. If so, it changes every minute, and every ten seconds in the last
    ///     minute; if not, there are lines at five minutes and at one.
    /// - Returns: the seconds left at that time; -1 for never.
    static func nextChange(before seconds: Int64, rewrites: Bool) -> Int64 {
        if rewrites { return seconds > 60 ? (seconds - 1) / 60 * 60 : max(0, (seconds - 1) / 10 * 10) }
        return [300, 60].first { $0 < seconds } ?? -1
    }
}

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
