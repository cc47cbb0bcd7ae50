/// Words in commands that people paste.
package enum ShellWord {
    /// A word as the shell takes it for itself and nothing more, and a terminal for nothing but letters.
    ///
    /// What a terminal might act on, and what changes how the rest looks, is written as bytes: `$'\x1b'` (bash(1),
    /// "QUOTING"; POSIX.1-2024, 2.2.4).
    package static func quoted(_ word: String) -> String {
        let scalars = word.unicodeScalars
        guard word.isEmpty || !scalars.allSatisfy(isPlain) else { return word }
        guard scalars.allSatisfy(isVisible) else { return "$'" + scalars.map(escaped).joined() + "'" }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
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
