/// Text that is safe to display: every character that a terminal would act on is escaped.
///
/// Text from outside enters a message only in this form, so that it is never printed raw.
package struct DisplayText: Hashable, Sendable, CustomStringConvertible {
    package static let longest = 120
    package let text: String

    /// Untrusted text, such as a server's or a stored name: every byte outside printable ASCII is written as `\xNN`,
    /// and the text is cut at `longest` characters.
    package init(untrusted bytes: some Sequence<UInt8>, longest: Int = Self.longest) {
        var text = ""
        for byte in bytes {
            guard text.utf8.count < longest else {
                text += "..."
                break
            }
            if ASCII.isPrintable(byte), byte != UInt8(ascii: "\\") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                Self.append(byte, to: &text)
            }
        }
        self.text = text
    }

    /// Never shows a token in the place of a name.
    package init(account name: some Collection<UInt8>) {
        if TokenShape.fits(name) { self = .token } else { self.init(untrusted: name) }
    }

    package static let token: DisplayText = "(a token)"

    /// The most characters of a text of this machine, enough for a path (PATH_MAX).
    package static let longestOwn = 4_096

    /// Text from this machine, such as a path or a line of git's configuration: letters and signs of any script are
    /// kept, everything else is written as `\xNN`.
    ///
    /// Paths stay whole, because people copy them.
    package init(trusted text: String) {
        let scalars = text.unicodeScalars
        let shown = Self.escaped(scalars.prefix(Self.longestOwn), unless: Self.isVisible)
        self.text = scalars.count > Self.longestOwn ? shown + "..." : shown
    }

    private static func escaped(
        _ scalars: some Sequence<Unicode.Scalar>, unless isFit: (Unicode.Scalar) -> Bool
    ) -> String {
        var shown = ""
        for scalar in scalars {
            if isFit(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 { append(byte, to: &shown) }
            }
        }
        return shown
    }

    package var description: String { text }

    /// The output of a library that repeats typed text, such as an argument parser; tabs and line ends stay.
    package static func lines(_ text: String) -> String {
        func isFit(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" || isVisible(scalar) }
        return text.unicodeScalars.allSatisfy(isFit) ? text : escaped(text.unicodeScalars, unless: isFit)
    }

    private static func append(_ byte: UInt8, to text: inout String) {
        text += "\\x"
        for digit in Hexadecimal.digits(of: byte) { text.unicodeScalars.append(Unicode.Scalar(digit)) }
    }

    package static func isPlainWord(_ scalar: Unicode.Scalar) -> Bool {
        isVisible(scalar) && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "/._-+,:@%".unicodeScalars.contains(scalar)
    }

    /// Whether a scalar is visible, displayed where it is written, and unlike a space.
    ///
    /// Default_Ignorable_Code_Point (Unicode, 5.21) covers variation selectors, Hangul fillers and tags, which no
    /// general category does.
    package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x80 else { return (0x20...0x7e).contains(scalar.value) }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}

extension DisplayText: ExpressibleByStringInterpolation {
    package init(stringLiteral text: StaticString) { self.text = text.description }
    package init(stringInterpolation: Parts) { text = stringInterpolation.text }

    package struct Parts: StringInterpolationProtocol {
        fileprivate var text = ""
        package init(literalCapacity: Int, interpolationCount: Int) {}
        package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
        package mutating func appendInterpolation(_ part: DisplayText) { text += part.text }
        package mutating func appendInterpolation(_ address: HTTPSAddress) { text += address.text }
        package mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
        package mutating func omitWord() { if text.utf8.last == UInt8(ascii: " ") { text.removeLast() } }
    }
}

extension Sequence<DisplayText> {
    package func joined(separator: DisplayText) -> DisplayText {
        reduce(nil as DisplayText?) { text, part in text.map { "\($0)\(separator)\(part)" } ?? part } ?? ""
    }
}

/// The shapes of the tokens that hosts issue, by which one is told from a name.
package enum TokenShape {
    /// The prefixes of tokens of GitHub, GitLab, Gitea and Atlassian, and of a JSON object in base64url, with which
    /// signed tokens begin (RFC 7515, 3.1).
    package static let starts = [
        "gho_", "ghu_", "ghr_", "ghp_", "ghs_", "github_pat_", "glpat-", "gldt-", "glcbt-", "gloas-", "glptt-", "glrt-",
        "glsoat-", "glft-", "glimt-", "glagent-", "gto_", "ATATT", "ATCTT", "ATBB", "eyJ",
    ].map { Array($0.utf8) }

    private static let shortest = 20
    /// Lengths of tokens without a prefix: 40 at Gitea and, formerly, GitHub, 52 or 84 at Azure DevOps.
    private static let plainLengths = [40, 52, 84]

    /// Whether a text looks like a token: `https://TOKEN@host/` makes one an account's name.
    package static func fits(_ text: some Collection<UInt8>) -> Bool {
        guard text.count >= shortest else { return false }
        if starts.contains(where: text.starts) { return ASCII.isPlain(text, with: "_.-=") }
        return plainLengths.contains(text.count) && ASCII.isPlain(text) && text.contains(where: ASCII.isDigit)
    }
}
