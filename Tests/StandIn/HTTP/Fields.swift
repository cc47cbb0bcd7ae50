/// The fields of a response in order, as JSON or as a form.
package struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    package enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        case text(String)
        /// A number; written without a fraction if it is whole.
        case number(Double)
        case flag(Bool)
        /// `null`, which GitLab sends for some fields that GitHub omits.
        case null
        case object(Fields)
        case list([Value])

        package init(stringLiteral value: String) { self = .text(value) }
    }

    private var members: [(name: String, value: Value)]

    package init(dictionaryLiteral elements: (String, Value)...) {
        members = elements.map { (name: $0.0, value: $0.1) }
    }

    init(_ name: String, _ value: Value) { members = [(name: name, value: value)] }
    mutating func append(_ name: String, _ value: Value) { members.append((name: name, value: value)) }

    package var json: String {
        "{" + members.map { "\(Self.quoted($0.name)):\(Self.json($0.value))" }.joined(separator: ",") + "}"
    }

    /// The fields as a form, without objects, which GitHub never sends in forms.
    package var form: String {
        members.compactMap { member in
            switch member.value {
            case .text(let text): "\(member.name)=\(FormCoding.escape(text))"
            case .number, .flag: "\(member.name)=\(Self.json(member.value))"
            case .object, .list, .null: nil
            }
        }.joined(separator: "&")
    }

    static func json(_ value: Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        case .flag(let flag): "\(flag)"
        case .object(let fields): fields.json
        case .list(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .null: "null"
        }
    }

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
