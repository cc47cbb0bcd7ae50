internal import Language
internal import Messages
internal import Verbs

/// How text is laid out: by the width, which may change while we wait, and by the style.
struct ScreenForm: Equatable {
    /// The terminal's width.
    var columns: Int
    /// What the terminal can show.
    var style: ScreenStyle

    init(columns: Int, style: ScreenStyle = ScreenStyle()) {
        self.columns = columns
        self.style = style
    }

    /// The waiting line is a whole sentence from 60 columns on.
    var hasLongWaitingLine: Bool { columns >= 60 }

    /// Below 40 columns, only what is necessary is shown; the terminal soft-wraps what does not fit, so that an address
    /// stays whole when it is selected.
    var isNarrow: Bool { columns < 40 }

    /// A text in lines that fit, broken between words; unbroken for a screen reader.
    ///
    /// Not for an address or a code, which the terminal itself must soft-wrap.
    func wrapped(_ message: Message) -> [String] {
        Language.lines(message, columns: style.isAccessible ? nil : columns)
    }
}
