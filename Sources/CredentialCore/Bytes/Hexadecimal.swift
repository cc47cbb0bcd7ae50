package enum Hexadecimal {
    /// The digit of a number below 16, in lower case.
    @inlinable
    package static func digit(_ number: UInt8) -> UInt8 { number < 10 ? 0x30 + number : 0x57 + number }

    package static func number(_ digit: UInt8) -> UInt8? {
        switch ASCII.folded(digit) {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): ASCII.folded(digit) - 0x57
        default: nil
        }
    }

    package static func isLowercase(_ digit: UInt8) -> Bool { number(digit) != nil && digit == ASCII.folded(digit) }

    /// The two digits, in lower case; a generic sequence took an eighth of all instructions on git's path.
    package static func digits(of byte: UInt8) -> [UInt8] { [digit(byte >> 4), digit(byte & 0xf)] }

    /// Returns `nil` unless there are two digits for each byte.
    package static func bytes(_ digits: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        return decode(digits) { bytes.append($0) } ? bytes : nil
    }

    package static func decode(_ digits: some Sequence<UInt8>, into append: (UInt8) -> Void) -> Bool {
        var high: UInt8?
        for digit in digits {
            guard let number = number(digit) else { return false }
            if let half = high { append(half << 4 | number) }
            high = high == nil ? number : nil
        }
        return high == nil
    }
}

/// Percent-encoding (RFC 3986, 2.1).
package enum PercentEncoding {
    package static func encoded(_ bytes: some Sequence<UInt8>, keeping isPlain: (UInt8) -> Bool) -> [UInt8] {
        bytes.reduce(into: []) { text, byte in
            if isPlain(byte) { text.append(byte) } else { text += encoded(byte) }
        }
    }

    package static func encoded(_ byte: UInt8) -> [UInt8] {
        let digits = Hexadecimal.digits(of: byte).map { $0 < 0x40 ? $0 : $0 & ~0x20 }
        return [UInt8(ascii: "%")] + digits
    }

    package static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        return decode(text) { bytes.append($0) } ? bytes : nil
    }

    /// Returns false if a percent sign lacks its two digits.
    package static func decode(_ text: some Sequence<UInt8>, _ append: (UInt8) -> Void) -> Bool {
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                append(byte)
                continue
            }
            guard let high = rest.next().flatMap(Hexadecimal.number), let low = rest.next().flatMap(Hexadecimal.number)
            else { return false }
            append(high << 4 | low)
        }
        return true
    }
}
