package import CredentialCore

/// Words in commands that people paste.
package enum ShellWord {
    /// A word that the shell takes literally, and that the terminal shows without acting on it.
    ///
    /// What a terminal might act on, and what changes how the rest looks, is written as bytes: `$'\x1b'` (bash(1),
    /// "QUOTING"; POSIX.1-2024, 2.2.4).
    package static func quoted(_ word: String) -> DisplayText {
        let scalars = word.unicodeScalars
        guard word.isEmpty || !scalars.allSatisfy(isPlain) else { return DisplayText(own: word) }
        guard scalars.allSatisfy(isVisible) else {
            return DisplayText(own: "$'" + scalars.map(escaped).joined() + "'")
        }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return DisplayText(own: "'" + parts.joined(separator: "'\\''") + "'")
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        DisplayText.isVisible(scalar) && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "/._-+,:@%".unicodeScalars.contains(scalar)
    }

    /// ASCII, and letters of any script.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        (" "..."~").contains(scalar) || isPlain(scalar)
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard isVisible(scalar) else {
            // Always two digits: bash reads no third.
            return String(scalar).utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return scalar == "'" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
    }
}

extension DisplayText.Parts {
    /// A word of a command, quoted if the shell would not take it literally.
    package mutating func appendInterpolation(word: String) { appendInterpolation(ShellWord.quoted(word)) }

    /// A word of a command, quoted if the shell would not take it literally.
    package mutating func appendInterpolation(word: DisplayText) { appendInterpolation(word: word.text) }
}
