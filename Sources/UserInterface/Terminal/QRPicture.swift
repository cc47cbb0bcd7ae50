internal import CQREncode

/// An address as a QR code, for a phone's camera.
package struct QRPicture {
    /// The modules, row by row, without a margin; true is dark.
    package let rows: [[Bool]]

    /// Encodes a text; nil if it is too long for any QR code.
    ///
    /// Uses the lowest level of error correction: a screen has no scratches, and the picture stays small.
    package init?(_ text: String) {
        // Version 0 is the smallest one that fits.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        guard let modules = code.pointee.data else { return nil }
        let width = Int(code.pointee.width)
        // qrencode.h: the lowest bit of a byte is the colour of its module.
        rows = (0..<width).map { row in (0..<width).map { column in modules[row * width + column] & 1 == 1 } }
    }
}
