internal import Language
internal import Messages
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
