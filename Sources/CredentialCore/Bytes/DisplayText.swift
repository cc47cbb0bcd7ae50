/// Text that can be shown: whatever it was made of, nothing is left in it that a terminal would act on.
///
/// It is the only form in which foreign text reaches a message, so that none of it is ever printed raw.
package struct DisplayText: Hashable, Sendable, CustomStringConvertible {
    /// The longest text of a stranger's that is shown, in characters.
    package static let longest = 120

    /// The text as it is shown.
    package let text: String

    /// A stranger's text, such as a server's or a stored name: every byte outside printable ASCII is written as `\xNN`,
    /// and it is cut at `longest` characters.
    ///
    /// That covers escape sequences, C1 controls, bidirectional marks and zero-width characters at once.
    package init(_ bytes: some Sequence<UInt8>, longest: Int = Self.longest) {
        var text = ""
        for byte in bytes {
            guard text.utf8.count < longest else {
                text += "..."
                break
            }
            if (0x20...0x7e).contains(byte), byte != UInt8(ascii: "\\") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                Self.append(byte, to: &text)
            }
        }
        self.text = text
    }

    /// The longest text of this machine's that is shown, in characters: a path has room (PATH_MAX), a flood has not.
    package static let longestOwn = 4_096

    /// Text of this machine, such as a path or a line of git's configuration: letters and signs of any script stay as they
    /// are, all else is written as `\xNN`, and no path is cut, since such texts are there to be copied.
    package init(own text: String) {
        var shown = ""
        for (number, scalar) in text.unicodeScalars.enumerated() {
            guard number < Self.longestOwn else {
                shown += "..."
                break
            }
            if Self.isVisible(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 { Self.append(byte, to: &shown) }
            }
        }
        self.text = shown
    }

    package var description: String { text }

    /// Lines as they may be printed: what a message is made of can be shown already, but a library's words, such as an
    /// argument parser's, repeat what was typed.
    ///
    /// - Parameter text: lines, of which tabs may be a part.
    /// - Returns: the same, where each other character that is not fit to be shown is written as `\xNN`.
    package static func lines(_ text: String) -> String {
        func isFit(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" || isVisible(scalar) }
        guard !text.unicodeScalars.allSatisfy(isFit) else { return text }
        return text.unicodeScalars.reduce(into: "") { shown, scalar in
            if isFit(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 { append(byte, to: &shown) }
            }
        }
    }

    private static func append(_ byte: UInt8, to text: inout String) {
        let digits = Array("0123456789abcdef".unicodeScalars)
        text += "\\x"
        text.unicodeScalars.append(digits[Int(byte >> 4)])
        text.unicodeScalars.append(digits[Int(byte & 0xf)])
    }

    /// Whether a character can be seen, stands where it is written, and looks like no other that separates words.
    ///
    /// The property Default_Ignorable_Code_Point (Unicode, 5.21) has what no category tells: variation selectors, fillers
    /// of Hangul, the tags.
    package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x80 else { return (0x20...0x7e).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default: return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}

/// Words of our own: what stands in the source, and what can be shown already.
extension DisplayText: ExpressibleByStringInterpolation {
    package init(stringLiteral text: StaticString) { self.text = text.description }

    package init(stringInterpolation: Parts) { text = stringInterpolation.text }

    /// The parts of such a text.
    package struct Parts: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
        package mutating func appendInterpolation(_ part: DisplayText) { text += part.text }
        package mutating func appendInterpolation(_ address: HTTPSAddress) { text += address.text }
        package mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    }
}

extension Sequence<DisplayText> {
    /// The texts as one, with something between them.
    package func joined(separator: DisplayText) -> DisplayText {
        reduce(nil as DisplayText?) { text, part in text.map { "\($0)\(separator)\(part)" } ?? part } ?? ""
    }
}
