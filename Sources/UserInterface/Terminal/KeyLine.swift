internal import Language
internal import Messages
internal import Verbs

/// The keys whose action has not been done yet.
struct KeyLine: Equatable {
    /// Enter opens the page.
    var opens = false
    /// `c` copies the code.
    var copies = false
    /// `r` shows the QR code.
    var showsQRCode = false

    /// The line that describes the keys; nil if there are none: `q` does the same as Ctrl-C, which is mentioned anyway.
    ///
    /// - Parameter form: how it is laid out.
    /// - Returns: also nil where even the short form is wider than the terminal; the keys still work.
    func text(_ form: ScreenForm) -> String? {
        let sentence = WaitingWords.keys(opens: opens, copies: copies, showsQRCode: showsQRCode)
        guard let long = sentence.map(Language.text) else { return nil }
        if WaitingLine.fits(long, form) || form.style.isAccessible { return long }
        let parts = WaitingWords.shortKeys(opens: opens, copies: copies, showsQRCode: showsQRCode)
        let short = parts.map(Language.text).joined(separator: "  ")
        return WaitingLine.fits(short, form) ? short : nil
    }
}
