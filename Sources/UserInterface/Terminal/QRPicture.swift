internal import CQREncode

package struct QRPicture {
    /// Row by row, without a margin; `true` is dark.
    package let rows: [[Bool]]

    /// Returns `nil` if the text is too long for any QR code.
    ///
    /// The level of error correction is the lowest: a screen has no scratches, and the picture stays small.
    package init?(_ text: String) {
        // Version 0 is the smallest one that fits.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        guard let modules = code.pointee.data else { return nil }
        let width = Int(code.pointee.width)
        // The lowest bit of a byte is the colour of its module (qrencode.h).
        rows = (0..<width).map { row in (0..<width).map { column in modules[row * width + column] & 1 == 1 } }
    }
}

/// Two rows of modules in each line of text, as half blocks.
enum QRBlock {
    /// Whether a picture can be shown at all, however high the terminal is.
    static func isPossible(in form: ScreenForm) -> Bool { form.style.showsPictures && !form.isNarrow }

    /// Returns `nil` if the terminal lacks the columns, or the rows for the picture and one more line.
    static func lines(_ picture: QRPicture, in form: ScreenForm) -> [String]? {
        let lines = lines(picture)
        return columns(picture) <= form.columns && lines.count < form.rows ? lines : nil
    }

    /// The colours, black on white in every theme: the ends of xterm's grey scale, which themes do not change.
    private static let colours = "\u{1b}[38;5;16;48;5;231m"
    /// The margin in modules; the standard requires four, but scanners need only one on a screen.
    private static let margin = 1

    static func columns(_ picture: QRPicture) -> Int { picture.rows.count + 2 * margin }

    static func lines(_ picture: QRPicture) -> [String] {
        let size = columns(picture)
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - margin, column - margin)
            guard picture.rows.indices.contains(row), picture.rows[row].indices.contains(column) else { return false }
            return picture.rows[row][column]
        }
        return stride(from: 0, to: size, by: 2).map { row in
            let blocks = (0..<size).map { column in block(isDark(row, column), isDark(row + 1, column)) }
            return colours + blocks.joined() + "\u{1b}[0m"
        }
    }

    private static func block(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
