internal import Messages

/// What the keys would do that has not been done yet.
struct KeyLine: Equatable {
    /// Enter opens the page.
    var opens = false
    /// `c` copies the code.
    var copies = false
    /// `r` shows the QR code.
    var showsQRCode = false

    /// The line that tells; nil if there is nothing to tell: `q` alone is no more than Ctrl-C, which is told anyway.
    ///
    /// - Parameter form: how it is laid out.
    /// - Returns: nil also where even the short form is wider than the terminal; the keys work all the same.
    func text(_ form: ScreenForm) -> String? {
        guard let sentence else { return nil }
        let long = Language.text(sentence)
        if WaitingLine.fits(long, form) || form.style.isAccessible { return long }
        let short = parts.map(Language.text).joined(separator: "  ")
        return WaitingLine.fits(short, form) ? short : nil
    }

    /// Whole sentences, so that each language can put them in its own order.
    private var sentence: Message? {
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

    private var parts: [Message] {
        (opens ? [Message("Enter: open")] : []) + (copies ? [Message("c: copy")] : [])
            + (showsQRCode ? [Message("r: QR code")] : []) + [Message("q: quit")]
    }
}
