internal import CredentialCore
package import Helper
internal import Language

enum WaitingLine {
    /// Returns the longest form that fits the width, or a short one that the terminal wraps.
    static func text(seconds: Int64, _ form: ScreenForm) -> String {
        let short = Language.text(WaitingWords.shortWaiting(seconds: seconds))
        let candidates =
            (form.hasLongWaitingLine ? [Language.text(WaitingWords.waiting(seconds: seconds))] : [])
            + [short, Language.text(WaitingWords.left(seconds: seconds))]
        return candidates.first { fits($0, form) } ?? short
    }

    /// Whether a line fits: only the last row of a wrapped one would be overwritten.
    static func fits(_ line: String, _ form: ScreenForm) -> Bool { Language.columns(of: line) <= form.columns }

    /// The time of the next change in seconds left, or -1 for never.
    ///
    /// A line that is overwritten changes every minute, and every ten seconds in the last one. Without overwriting,
    /// there are lines at five minutes and at one.
    static func nextChange(before seconds: Int64, rewrites: Bool) -> Int64 {
        if rewrites { return seconds > 60 ? (seconds - 1) / 60 * 60 : max(0, (seconds - 1) / 10 * 10) }
        return [300, 60].first { $0 < seconds } ?? -1
    }
}

package enum WaitingWords {
    /// One sentence, so that each language can use its own order, or `nil` if there is no key but `q`.
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

    /// The keys for an address without a code, from which a browser or the person comes back with a new address.
    package static func addressKeys(opens: Bool, copies: Bool, offersDeviceCode: Bool) -> Message? {
        switch (opens, copies, offersDeviceCode) {
        case (true, true, true): Message("Enter opens it here, c copies it, d uses a code instead.")
        case (true, true, false): Message("Press Enter to open it here, c to copy it, q to quit.")
        case (true, false, true): Message("Press Enter to open it here, d to use a code instead, q to quit.")
        case (true, false, false): Message("Press Enter to open it here, q to quit.")
        case (false, true, true): Message("Press c to copy it, d to use a code instead, q to quit.")
        case (false, true, false): Message("Press c to copy the address, q to quit.")
        case (false, false, true): Message("Press d to use a code instead, q to quit.")
        case (false, false, false): nil
        }
    }

    package static func shortKeys(
        opens: Bool, copies: Bool, offersDeviceCode: Bool = false, showsQRCode: Bool = false
    ) -> [Message] {
        (opens ? [Message("Enter: open")] : []) + (copies ? [Message("c: copy")] : [])
            + (offersDeviceCode ? [Message("d: code")] : []) + (showsQRCode ? [Message("r: QR code")] : [])
            + [Message("q: quit")]
    }

    /// The time left in minutes, or in seconds in the last one.
    package static func left(seconds: Int64) -> Message {
        seconds >= 60 ? Message("%1$s min left.", (seconds + 30) / 60) : Message("%1$s s left.", max(seconds, 0))
    }

    package static func waiting(seconds: Int64) -> Message {
        Message("Waiting for you to approve. %1$s Ctrl-C cancels.", left(seconds: seconds))
    }

    package static func shortWaiting(seconds: Int64) -> Message {
        Message("%1$s Ctrl-C cancels.", left(seconds: seconds))
    }
}
