/// What a server wrote, made fit to be shown: nothing of it is ever printed raw.
package enum DisplayText {
    /// The longest text shown, in characters.
    package static let longest = 120

    /// Text in which every byte outside printable ASCII is written as `\xNN`, cut to `longest` characters.
    ///
    /// That covers escape sequences, C1 controls, bidirectional marks and zero-width characters at once.
    package static func escaped(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = ""
        for byte in bytes {
            guard text.unicodeScalars.count < longest else { return text + "..." }
            if (0x20...0x7e).contains(byte), byte != UInt8(ascii: "\\") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x"
                text.unicodeScalars.append(digits[Int(byte >> 4)])
                text.unicodeScalars.append(digits[Int(byte & 0xf)])
            }
        }
        return text
    }
}
