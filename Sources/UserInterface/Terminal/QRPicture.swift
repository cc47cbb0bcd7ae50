internal import CQREncode

/// A QR code with two rows of modules in each line of text, as half blocks.
struct QRPicture {
    /// Row by row, without a margin; `true` is dark.
    let rows: [[Bool]]

    /// Returns `nil` if no picture can be shown, however high the terminal is, or the text is too long for any QR code.
    ///
    /// The level of error correction is the lowest: a screen has no scratches, and the picture stays small.
    init?(_ text: String, for form: ScreenForm) {
        // Version 0 is the smallest one that fits.
        guard form.style.showsPictures, !form.isNarrow,
            let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1)
        else { return nil }
        defer { QRcode_free(code) }
        guard let modules = code.pointee.data else { return nil }
        let width = Int(code.pointee.width)
        // The lowest bit of a byte is the colour of its module (qrencode.h).
        rows = (0..<width).map { row in (0..<width).map { column in modules[row * width + column] & 1 == 1 } }
    }

    /// Returns `nil` if the terminal lacks the columns, or the rows for the picture and one more line.
    func lines(in form: ScreenForm) -> [String]? {
        let lines = self.lines
        return columns <= form.columns && lines.count < form.rows ? lines : nil
    }

    /// The colours, black on white in every theme: the ends of xterm's grey scale, which themes do not change.
    private static let colours = "\u{1b}[38;5;16;48;5;231m"
    /// The margin in modules; the standard requires four, but scanners need only one on a screen.
    private static let margin = 1

    var columns: Int { rows.count + 2 * Self.margin }

    var lines: [String] {
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - Self.margin, column - Self.margin)
            return rows.indices.contains(row) && rows[row].indices.contains(column) && rows[row][column]
        }
        return stride(from: 0, to: columns, by: 2).map { row in
            let blocks = (0..<columns).map { column in Self.block(isDark(row, column), isDark(row + 1, column)) }
            return Self.colours + blocks.joined() + "\u{1b}[0m"
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
