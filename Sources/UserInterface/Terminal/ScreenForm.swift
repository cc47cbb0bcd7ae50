internal import Messages

/// How the words are laid out now: by the width, which changes while we wait, and by the style.
struct ScreenForm: Equatable {
    /// The terminal's width.
    var columns: Int
    /// What it can show.
    var style: ScreenStyle

    init(columns: Int, style: ScreenStyle = ScreenStyle()) {
        self.columns = columns
        self.style = style
    }

    /// From 60 columns on, the waiting line is a sentence.
    var hasLongWaitingLine: Bool { columns >= 60 }

    /// Below 40 columns nothing is left but what is needed; what does not fit then is wrapped by the terminal, softly, so
    /// that an address stays whole when it is selected.
    var isNarrow: Bool { columns < 40 }

    /// A text in lines that fit, broken between words; whole for a screen reader.
    ///
    /// Not for an address or a code, which the terminal has to wrap, softly.
    func wrapped(_ message: Message) -> [String] {
        Language.lines(message, columns: style.isAccessible ? nil : columns)
    }
}
