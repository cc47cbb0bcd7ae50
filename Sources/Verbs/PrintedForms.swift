internal import CredentialCore
internal import Helper

/// JSON for programs (RFC 8259), written by hand, since it is a few strings, numbers and booleans.
enum JSONText {
    /// RFC 8259, 7; the text has no control characters.
    static func string(_ text: DisplayText) -> String {
        "\"" + text.text.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    static func string(_ word: some RawRepresentable<String>) -> String { string(DisplayText(trusted: word.rawValue)) }

    /// Messages are in English, so that programs read the same everywhere.
    static func string(_ message: Message) -> String { string(DisplayText(trusted: message.english)) }

    static func list(_ messages: [Message]) -> String { "[" + messages.map(string).joined(separator: ", ") + "]" }

    /// One object in each line.
    static func array(_ objects: [String]) -> String {
        objects.isEmpty ? "[]\n" : "[\n" + objects.map { "  " + $0 }.joined(separator: ",\n") + "\n]\n"
    }

    /// `nil` stands for `null`.
    static func object(_ members: [(name: DisplayText, value: String?)]) -> String {
        "{" + members.map { "\(string($0.name)): \($0.value ?? "null")" }.joined(separator: ", ") + "}"
    }
}
