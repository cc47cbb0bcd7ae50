internal import CredentialCore
internal import Helper

/// JSON for programs (RFC 8259), written by hand, since it is a few strings, numbers and booleans.
enum JSONText {
    /// Returns a string (RFC 8259, 7).
    static func string(_ text: DisplayText) -> String {
        "\"" + text.text.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    /// Returns a word of our own as a string.
    static func string(_ word: some RawRepresentable<String>) -> String { string(DisplayText(trusted: word.rawValue)) }

    /// Returns a message in English, so that programs read the same everywhere.
    static func string(_ message: Message) -> String { string(DisplayText(trusted: message.english)) }

    static func list(_ messages: [Message]) -> String { "[" + messages.map(string).joined(separator: ", ") + "]" }

    /// Returns a document with one object in each line.
    static func array(_ objects: [String]) -> String {
        objects.isEmpty ? "[]\n" : "[\n" + objects.map { "  " + $0 }.joined(separator: ",\n") + "\n]\n"
    }

    /// Returns an object on one line.
    ///
    /// - Parameter members: names and encoded values, with `nil` for `null`.
    /// - Returns: the object, without a line end.
    static func object(_ members: [(name: DisplayText, value: String?)]) -> String {
        "{" + members.map { "\(string($0.name)): \($0.value ?? "null")" }.joined(separator: ", ") + "}"
    }
}
