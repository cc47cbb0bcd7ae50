internal import CredentialCore
internal import Messages

/// JSON for programs (RFC 8259): written by hand, since it is a few strings, numbers and booleans.
enum JSONText {
    /// A string (RFC 8259, 7).
    static func string(_ text: DisplayText) -> String {
        "\"" + text.text.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    /// A word of our own.
    static func string(_ word: some RawRepresentable<String>) -> String { string(DisplayText(trusted: word.rawValue)) }

    /// A message, in English: programs read the same everywhere.
    static func string(_ message: Message) -> String { string(DisplayText(trusted: message.english)) }

    /// A list of messages.
    static func list(_ messages: [Message]) -> String { "[" + messages.map(string).joined(separator: ", ") + "]" }

    /// A document: an object a line.
    static func array(_ objects: [String]) -> String {
        objects.isEmpty ? "[]\n" : "[\n" + objects.map { "  " + $0 }.joined(separator: ",\n") + "\n]\n"
    }

    /// An object on one line.
    ///
    /// - Parameter members: names and ready-made values; nil for `null`.
    /// - Returns: the object, without a line end.
    static func object(_ members: [(name: DisplayText, value: String?)]) -> String {
        "{" + members.map { "\(string($0.name)): \($0.value ?? "null")" }.joined(separator: ", ") + "}"
    }
}
