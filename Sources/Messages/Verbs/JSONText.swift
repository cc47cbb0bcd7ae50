internal import CredentialCore

/// JSON for programs (RFC 8259): written by hand, since it is a handful of texts, numbers and truths.
enum JSONText {
    /// A string (RFC 8259, 7).
    static func string(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\u{0}"..<" ":
                "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2) + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    /// A string.
    static func string(_ text: DisplayText) -> String { string(text.text) }

    /// A message, in English: programs are told the same everywhere.
    static func string(_ message: Message) -> String { string(message.english) }

    /// A list of messages.
    static func list(_ messages: [Message]) -> String { "[" + messages.map(string).joined(separator: ", ") + "]" }

    /// An object on one line.
    ///
    /// - Parameter members: names and ready-made values; nil for `null`.
    /// - Returns: the object, without a line end.
    static func object(_ members: [(name: String, value: String?)]) -> String {
        "{" + members.map { "\(string($0.name)): \($0.value ?? "null")" }.joined(separator: ", ") + "}"
    }
}
