/// The members of an answer in the order they are sent, as JSON or as a form.
package struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    /// One member's value.
    package enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        case text(String)
        /// Whole numbers are written without a fraction.
        case number(Double)
        case flag(Bool)
        /// `null`, which GitLab sends where GitHub leaves a member out.
        case null
        case object(Fields)
        case list([Value])

        /// A literal is a text.
        package init(stringLiteral value: String) { self = .text(value) }
    }

    private var members: [(name: String, value: Value)]

    /// Keeps the order of the literal.
    package init(dictionaryLiteral elements: (String, Value)...) {
        members = elements.map { (name: $0.0, value: $0.1) }
    }

    /// One member, whose name is not known beforehand.
    init(_ name: String, _ value: Value) {
        members = [(name: name, value: value)]
    }

    /// Adds a member at the end.
    mutating func append(_ name: String, _ value: Value) {
        members.append((name: name, value: value))
    }

    /// The members as a JSON object.
    package var json: String {
        "{" + members.map { "\(Self.quoted($0.name)):\(Self.json($0.value))" }.joined(separator: ",") + "}"
    }

    /// The members as a form; objects, which GitHub never sends so, are left out.
    package var form: String {
        members.compactMap { member in
            switch member.value {
            case .text(let text): "\(member.name)=\(FormCoding.escape(text))"
            case .number(let number): "\(member.name)=\(Self.decimal(number))"
            case .flag(let flag): "\(member.name)=\(flag)"
            case .object, .list, .null: nil
            }
        }.joined(separator: "&")
    }

    /// One value as JSON.
    static func json(_ value: Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .number(let number): decimal(number)
        case .flag(let flag): flag ? "true" : "false"
        case .object(let fields): fields.json
        case .list(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .null: "null"
        }
    }

    /// A number as JSON and forms write it.
    private static func decimal(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }

    /// A JSON string (RFC 8259 section 7).
    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\u{0}"..<" ":
                "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2) + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
